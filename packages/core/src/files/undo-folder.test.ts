import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChangeMark, UndoJournal } from '../tool/undo-journal.ts'
import { openUndoFolder } from './undo-folder.ts'

let base: string
let folder: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'undo-')))
  folder = path.join(base, 'undo')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const mark = (toolCallId: string, more: Partial<ChangeMark> = {}): ChangeMark => ({
  sessionId: 's',
  messageId: 'm',
  runId: 'r',
  step: 1,
  toolCallId,
  ...more,
})
const file = (name = 'a.txt'): string => path.join(base, name)

async function write(journal: UndoJournal, at: ChangeMark, text: string | null, name = 'a.txt'): Promise<void> {
  const before = existsSync(file(name)) ? readFileSync(file(name)) : null
  const open = await journal.before(at, file(name), before)
  if (text === null) rmSync(file(name))
  else writeFileSync(file(name), text)
  await open.done(text === null ? null : Buffer.from(text))
}

test('nothing is created before the first change', async () => {
  const journal = openUndoFolder(folder)
  expect(await journal.list({})).toEqual([])
  expect(existsSync(folder)).toBe(false)
})

test('a change, a creation and a deletion are undone, newest first', async () => {
  const journal = openUndoFolder(folder)
  writeFileSync(file('gone.txt'), 'was here')
  await write(journal, mark('c1'), 'one')
  await write(journal, mark('c2'), 'two')
  await write(journal, mark('c3'), null, 'gone.txt')
  const changes = await journal.list({ sessionId: 's' })
  expect(changes.map(({ mark: { toolCallId } }) => toolCallId)).toEqual(['c3', 'c2', 'c1'])
  expect(await journal.undo(changes.filter((change) => change.mark.toolCallId === 'c2'))).toEqual({
    restored: [file()],
    skipped: [],
  })
  expect(readFileSync(file(), 'utf8')).toBe('one')
  const rest = (await journal.list({ sessionId: 's' })).filter(
    (change) => !change.undone && change.undoes === undefined,
  )
  expect(await journal.undo(rest)).toEqual({ restored: [file('gone.txt'), file()], skipped: [] })
  expect(existsSync(file())).toBe(false)
  expect(readFileSync(file('gone.txt'), 'utf8')).toBe('was here')
})

test('the state of a file before a session changed it is known, and changes by other sessions are ignored', async () => {
  const journal = openUndoFolder(folder)
  const original = async (name: string, sessionId = 's') => {
    const known = await journal.original(file(name), { sessionId })
    return known === undefined ? undefined : (known.bytes?.toString() ?? null)
  }
  writeFileSync(file(), 'zero')
  await write(journal, mark('c0', { sessionId: 'other' }), 'one')
  expect(await original('a.txt')).toBeUndefined()
  await write(journal, mark('c1'), 'two')
  await write(journal, mark('c2'), 'three')
  await write(journal, mark('c3'), 'x', 'new.txt')
  expect([await original('a.txt'), await original('a.txt', 'other'), await original('new.txt')]).toEqual([
    'one',
    'zero',
    null,
  ])
  // Large files store only a reverse patch, so the original is lost once the patch no longer applies.
  const long = 'y'.repeat(1000)
  writeFileSync(file('long.txt'), `a${long}`)
  const bytes = readFileSync(file('long.txt'))
  const open = await journal.before(mark('c4'), file('long.txt'), bytes, {
    replaced: [{ start: 0, length: 1, bytes: Buffer.from('a') }],
  })
  writeFileSync(file('long.txt'), `b${long}`)
  await open.done(Buffer.from(`b${long}`))
  expect(await original('long.txt')).toBe(`a${long}`)
  writeFileSync(file('long.txt'), 'by someone else')
  expect(await original('long.txt')).toBeUndefined()
})

test('an undo can be undone, and reports the change it undid', async () => {
  const journal = openUndoFolder(folder)
  await write(journal, mark('c1'), 'one')
  await write(journal, mark('c2'), 'two')
  const [second] = await journal.list({})
  await journal.undo([second!], mark('u1'))
  const [undo, undone] = await journal.list({})
  expect(undo).toMatchObject({ mark: { toolCallId: 'u1' }, undoes: second!.id, undone: false })
  expect(undone).toMatchObject({ id: second!.id, undone: true })
  await journal.undo([undo!], mark('u2'))
  expect(readFileSync(file(), 'utf8')).toBe('two')
  expect((await journal.list({})).map((change) => change.undone)).toEqual([false, true, false, false])
})

test('a file that was changed, deleted or replaced by others is skipped and listed', async () => {
  const journal = openUndoFolder(folder)
  for (const name of ['changed', 'deleted', 'folder', 'link', 'anew']) writeFileSync(file(name), 'old')
  for (const name of ['changed', 'deleted', 'folder', 'link']) await write(journal, mark(name), 'new', name)
  await write(journal, mark('anew'), null, 'anew')
  writeFileSync(file('changed'), 'theirs')
  writeFileSync(file('anew'), 'theirs')
  for (const name of ['deleted', 'folder', 'link']) rmSync(file(name))
  mkdirSync(file('folder'))
  writeFileSync(file('target'), 'new')
  symlinkSync(file('target'), file('link'))
  const { restored, skipped } = await journal.undo(await journal.list({}))
  expect(restored).toEqual([])
  expect(Object.fromEntries(skipped.map(({ path: where, reason }) => [path.basename(where), reason]))).toEqual({
    anew: 'it has been created again since',
    link: 'its path now goes through a link',
    folder: 'it is no longer a file',
    deleted: 'it has been deleted since',
    changed: 'it has been changed since by someone else or by a command',
  })
  expect(readFileSync(file('changed'), 'utf8')).toBe('theirs')
  expect(readFileSync(file('target'), 'utf8')).toBe('new')
})

test('older changes are kept below a newer one that is kept', async () => {
  const journal = openUndoFolder(folder)
  await write(journal, mark('c1'), 'one')
  await write(journal, mark('c2'), 'two')
  writeFileSync(file(), 'theirs')
  const { skipped } = await journal.undo(await journal.list({}))
  expect(skipped).toHaveLength(1)
  expect(readFileSync(file(), 'utf8')).toBe('theirs')
})

test('another process finds everything again, even behind a torn and a damaged line', async () => {
  const first = openUndoFolder(folder)
  await write(first, mark('c1'), 'one')
  await write(first, mark('c2'), 'two')
  appendFileSync(path.join(folder, 'index.jsonl'), 'not json\n{"type":"before","id":"torn","mark":{"sess')
  const second = openUndoFolder(folder)
  expect((await second.list({})).map((change) => change.mark.toolCallId)).toEqual(['c2', 'c1'])
  await write(second, mark('c3'), 'three')
  expect((await first.list({})).map((change) => change.mark.toolCallId)).toEqual(['c3', 'c2', 'c1'])
  expect((await openUndoFolder(folder).list({})).map((change) => change.mark.toolCallId)).toEqual(['c3', 'c2', 'c1'])
  await second.undo(await second.list({}))
  expect(existsSync(file())).toBe(false)
})

test('a change without a recorded end is not guessed', async () => {
  const journal = openUndoFolder(folder)
  writeFileSync(file(), 'old')
  await journal.before(mark('c1'), file(), Buffer.from('old'))
  expect(await journal.undo(await journal.list({}))).toEqual({ restored: [file()], skipped: [] })
  writeFileSync(file(), 'perhaps ours')
  const { skipped } = await journal.undo(await journal.list({}))
  expect(skipped[0]?.reason).toContain('the process ended while')
  expect(readFileSync(file(), 'utf8')).toBe('perhaps ours')
})

test('a change that did not happen is forgotten', async () => {
  const journal = openUndoFolder(folder)
  const open = await journal.before(mark('c1'), file(), null)
  await open.cancel()
  expect(await journal.list({})).toEqual([])
  expect(await openUndoFolder(folder).list({})).toEqual([])
})

test('the oldest are deleted first when the quota is full, and equal contents count once', async () => {
  const journal = openUndoFolder(folder, { quota: 10_000 })
  writeFileSync(file(), 'x'.repeat(3000))
  for (let number = 0; number < 8; number++) await write(journal, mark(`c${number}`), String(number).repeat(3000))
  const kept = await journal.list({})
  expect(kept[0]?.mark.toolCallId).toBe('c7')
  expect(kept.length).toBeLessThan(5)
  const objects = readdirSync(path.join(folder, 'objects'), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  const bytes = objects.reduce((sum, one) => sum + statSync(path.join(one.parentPath, one.name)).size, 0)
  expect(bytes).toBeLessThanOrEqual(10_000)
  expect((await openUndoFolder(folder).list({})).length).toBe(kept.length)
  expect((await journal.undo(kept)).skipped).toEqual([])
  const same = openUndoFolder(path.join(base, 'same'), { quota: 10_000 })
  for (let number = 0; number < 9; number++) {
    writeFileSync(file(`same-${number}`), 'y'.repeat(3000))
    await write(same, mark(`c${number}`), 'z', `same-${number}`)
  }
  expect(await same.list({})).toHaveLength(9)
})

test('content beyond the quota is not kept, and this is reported', async () => {
  const journal = openUndoFolder(folder, { quota: 100 })
  writeFileSync(file(), 'x'.repeat(3000))
  await write(journal, mark('c1'), 'short')
  const { skipped } = await journal.undo(await journal.list({}))
  expect(skipped[0]?.reason).toBe('its earlier content is no longer kept')
})

test('damaged content is never restored', async () => {
  const journal = openUndoFolder(folder)
  writeFileSync(file(), 'precious')
  await write(journal, mark('c1'), 'new')
  const [object] = readdirSync(path.join(folder, 'objects'), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  writeFileSync(path.join(object!.parentPath, object!.name), 'PRECIOUS')
  const { skipped } = await journal.undo(await journal.list({}))
  expect(skipped[0]?.reason).toBe('its earlier content is no longer kept')
  expect(readFileSync(file(), 'utf8')).toBe('new')
})

test('permissions are restored with a recreated file, and the journal is private', async () => {
  const journal = openUndoFolder(folder)
  writeFileSync(file(), '#!/bin/sh', { mode: 0o755 })
  const open = await journal.before(mark('c1'), file(), readFileSync(file()), { mode: statSync(file()).mode })
  rmSync(file())
  await open.done(null)
  await journal.undo(await journal.list({}))
  expect(statSync(file()).mode & 0o777).toBe(0o755)
  expect(statSync(folder).mode & 0o077).toBe(0)
  expect(statSync(path.join(folder, 'index.jsonl')).mode & 0o077).toBe(0)
})

test('changes are found by their markers, including commands', async () => {
  const journal = openUndoFolder(folder)
  await write(journal, mark('c1', { messageId: 'm1' }), 'one')
  await write(journal, mark('c2', { messageId: 'm2', agentId: 'sub' }), 'two')
  await journal.command(mark('c3', { messageId: 'm2' }), 'rm -rf build')
  expect(await journal.list({ messageId: 'm2' })).toHaveLength(1)
  expect(await journal.list({ agentId: 'sub' })).toHaveLength(1)
  expect(await journal.list({ sessionId: 'other' })).toEqual([])
  expect(await journal.commands({ messageId: 'm2' })).toMatchObject([{ command: 'rm -rf build' }])
  expect(await journal.commands({ messageId: 'm1' })).toEqual([])
})

test('deleting a session deletes its contents and keeps those of others', async () => {
  const [journal, second] = [openUndoFolder(folder), openUndoFolder(folder)]
  const [mine, theirs] = [mark('c1', { sessionId: 'mine' }), mark('c2', { sessionId: 'theirs' })]
  writeFileSync(file('a'), 'secret of mine')
  writeFileSync(file('b'), 'shared')
  writeFileSync(file('c'), 'shared')
  await write(journal, mine, 'x', 'a')
  await write(journal, mine, 'x', 'b')
  await write(second, theirs, 'x', 'c')
  await journal.command(mine, 'rm -rf build')
  await journal.forget('mine')
  const kept = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const contents = kept.map((one) => readFileSync(path.join(one.parentPath, one.name), 'utf8'))
  expect(contents.filter((content) => /secret|mine|build/.test(content))).toEqual([])
  expect(await second.list({})).toMatchObject([{ mark: theirs }])
  expect(await second.commands({})).toEqual([])
  expect((await second.undo(await second.list({}))).restored).toEqual([file('c')])
  await journal.forget('nobody')
})

test('deleting a session while others change files loses none of theirs', async () => {
  const [journal, second] = [openUndoFolder(folder), openUndoFolder(folder)]
  const names = Array.from({ length: 30 }, (_, n) => `f${n}`)
  for (const name of names) writeFileSync(file(name), `content of ${name}`)
  await Promise.all(
    names.map(async (name, n) => {
      const own = n % 3 === 0 ? 'gone' : 'stays'
      await write(n % 2 === 0 ? journal : second, mark(name, { sessionId: own }), 'x', name)
      if (n % 5 === 0) await journal.forget('gone')
    }),
  )
  await journal.forget('gone')
  const changes = await journal.list({})
  expect(changes.every(({ mark: { sessionId } }) => sessionId === 'stays')).toBe(true)
  expect((await journal.undo(changes)).skipped).toEqual([])
  for (const name of names.filter((_, n) => n % 3 !== 0))
    expect(readFileSync(file(name), 'utf8')).toBe(`content of ${name}`)
})
