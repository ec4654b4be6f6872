import type { FileContent } from '@troupe/protocol'
import { expect, it, vi } from 'vitest'
import { ApiError } from '../../api/request.ts'
import type { OnFolderChange } from '../file-watch.ts'
import { endingOf, smallestChange } from './create-editor.ts'
import type { FileDraft } from './drafts.ts'
import { createEditedFile } from './edited-file.ts'
import { mergedText, mergePlaces, mergeTexts } from './merge-texts.ts'

const content = (text: string): FileContent => ({
  path: 'a.ts',
  kind: 'text',
  size: text.length,
  modifiedAt: 0,
  text,
  version: `v:${text}`,
  encoding: 'utf-8',
  bom: false,
})

/** A disk with one file, an editor with one text, and drafts that outlive both. */
function openFile(disk: { text: string | null }, kept = new Map<string, FileDraft>()) {
  let onChange: OnFolderChange = () => undefined
  let text = ''
  const edited = createEditedFile({
    api: {
      fileContent: () =>
        disk.text === null
          ? Promise.reject(new ApiError(404, { name: 'FileNotFound', message: 'gone' }))
          : Promise.resolve({ file: content(disk.text) }),
      saveFile: ({ text: saved, version }) => {
        const current = disk.text === null ? null : content(disk.text)
        if ((current?.version ?? null) !== version)
          return Promise.reject(new ApiError(409, { name: 'FileChanged', message: 'changed', data: { current } }))
        disk.text = saved
        return Promise.resolve({ file: { path: 'a.ts', version: `v:${saved}`, size: saved.length, modifiedAt: 1 } })
      },
    },
    watch: {
      watch: (_, listener) => {
        onChange = listener
        return () => undefined
      },
    },
    drafts: {
      read: (_, path) => Promise.resolve(kept.get(path)),
      write: (_, path, draft) => Promise.resolve(void kept.set(path, draft)),
      remove: (_, path) => Promise.resolve(void kept.delete(path)),
    },
    folder: '/w',
    path: 'a.ts',
  })
  edited.connect({ get: () => text, set: (next) => void (text = next) })
  const type = (next: string) => {
    text = next
    edited.changed()
  }
  return { edited, kept, type, text: () => text, tell: () => onChange(['a.ts']) }
}

async function opened(disk: { text: string | null }, kept?: Map<string, FileDraft>) {
  const file = openFile(disk, kept)
  file.edited.open()
  await vi.waitFor(() => expect(file.edited.getState().file).toBeDefined())
  if (!file.edited.getState().isDirty) file.type(file.edited.initialText())
  return file
}

it('saves, and is clean again', async () => {
  const disk = { text: 'one' }
  const { edited, type } = await opened(disk)
  type('two')
  expect(edited.getState().isDirty).toBe(true)
  expect(await edited.save()).toBe(true)
  expect([disk.text, edited.getState().isDirty]).toEqual(['two', false])
})

it('takes changes on disk while nothing is typed', async () => {
  const disk = { text: 'one' }
  const { tell, text } = await opened(disk)
  disk.text = 'by an agent'
  tell()
  await vi.waitFor(() => expect(text()).toBe('by an agent'))
})

it('a change on disk under unsaved text is a conflict, and saving never overwrites it unasked', async () => {
  const disk = { text: 'one' }
  const { edited, type, tell } = await opened(disk)
  type('mine')
  disk.text = 'theirs'
  expect(await edited.save()).toBe(false)
  expect(edited.getState().conflict?.current?.text).toBe('theirs')
  expect(disk.text).toBe('theirs')
  // It changes once more while the person looks at the conflict.
  disk.text = 'theirs again'
  tell()
  await vi.waitFor(() => expect(edited.getState().conflict?.current?.text).toBe('theirs again'))
  edited.resolve('both')
  expect(await edited.save({ over: true })).toBe(true)
  expect([disk.text, edited.getState().conflict, edited.getState().isDirty]).toEqual(['both', undefined, false])
})

it('a deleted file can be saved again, or let go', async () => {
  const disk: { text: string | null } = { text: 'one' }
  const { edited, type, tell } = await opened(disk)
  type('mine')
  disk.text = null
  tell()
  await vi.waitFor(() => expect(edited.getState().conflict).toEqual({ current: null }))
  edited.resolve('mine')
  expect(await edited.save({ over: true })).toBe(true)
  expect(disk.text).toBe('mine')
})

it('unsaved text survives a reload, and a change on disk meanwhile is a conflict', async () => {
  const disk = { text: 'one' }
  const first = await opened(disk)
  first.type('unsaved')
  first.edited.flush()
  const second = await opened(disk, first.kept)
  await vi.waitFor(() => expect(second.text()).toBe('unsaved'))
  expect(second.edited.getState()).toMatchObject({ isDirty: true, conflict: undefined })
  disk.text = 'theirs'
  const third = await opened(disk, first.kept)
  await vi.waitFor(() => expect(third.edited.getState().conflict?.current?.text).toBe('theirs'))
  expect(third.edited.getState().file?.text).toBe('one')
  third.edited.discard()
  expect([third.text(), third.kept.size]).toEqual(['theirs', 0])
})

it('merges edits of different lines, and keeps the own text where both changed', () => {
  const base = 'a\nb\nc\nd\ne\n'
  expect(mergeTexts(base, 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\nf\n')).toEqual({
    text: 'A\nb\nc\nd\nE\nf\n',
    conflicts: 0,
  })
  expect(mergeTexts(base, 'a\nmine\nc\nd\ne\n', 'a\ntheirs\nc\nd\nE\n')).toEqual({
    text: 'a\nmine\nc\nd\nE\n',
    conflicts: 1,
  })
  expect(mergeTexts(base, 'a\nsame\nc\nd\ne\n', 'a\nsame\nc\nd\ne\nx\n').conflicts).toBe(0)
  expect(mergeTexts(base, base, 'theirs')).toEqual({ text: 'theirs', conflicts: 0 })
})

it('knows line endings that are all alike, and leaves mixed ones alone', () => {
  expect(['a\r\nb\r\n', 'a\nb', 'a\r\nb\n', 'a\rb\r\n', ''].map(endingOf)).toEqual(['\r\n', '\n', '\n', '\n', '\n'])
})

it('replaces only what differs', () => {
  expect(smallestChange('abcabc', 'abXcabc')).toEqual({ from: 2, to: 2, insert: 'X' })
  expect(smallestChange('aaa', 'aa')).toEqual({ from: 2, to: 3, insert: '' })
  expect(smallestChange('same', 'same')).toBeUndefined()
})

it('shows each changed place with all three versions, and builds the text from what is chosen', () => {
  const base = 'a\nb\nc\nd\ne'
  const places = mergePlaces(base, 'a\nmine\nc\nd\ne\nnew', 'a\ntheirs\nc\nD\ne')
  expect(places.map(({ base: old, mine, theirs, isConflict }) => [old, mine, theirs, isConflict])).toEqual([
    [['b'], ['mine'], ['theirs'], true],
    [['d'], ['d'], ['D'], false],
    [[], ['new'], [], false],
  ])
  expect(mergedText(base, places)).toBe('a\nmine\nc\nD\ne\nnew')
  expect(mergedText(base, places, { 0: 'theirs', 1: 'base' })).toBe('a\ntheirs\nc\nd\ne\nnew')
  expect(mergedText(base, places, { 0: 'both', 2: 'theirs' })).toBe('a\nmine\ntheirs\nc\nD\ne')
})
