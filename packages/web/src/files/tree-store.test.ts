import type { FolderEntry } from '@troupe/protocol'
import { expect, it, vi } from 'vitest'
import { createFileTree, type FileTree } from './tree-store.ts'
import { marksOf, rowPath, toRows, typedAhead } from './tree-rows.ts'

type Disk = Record<string, FolderEntry[]>

const file = (name: string): FolderEntry => ({ name, kind: 'file', size: 1 })
const folder = (name: string): FolderEntry => ({ name, kind: 'folder' })

function openTree(disk: Disk): {
  tree: FileTree
  change: (path: string) => void
  asked: string[]
  kept: Map<string, string>
} {
  const asked: string[] = []
  const kept = new Map<string, string>()
  let send: (text: string) => void = () => undefined
  const tree = createFileTree(
    {
      files: (query) => {
        const { path = '', offset = 0, limit = 1000 } = query as { path?: string; offset?: number; limit?: number }
        asked.push(`${path} ${offset}`)
        const entries = disk[path]
        if (entries === undefined) return Promise.reject(new Error('gone'))
        return Promise.resolve({ path, entries: entries.slice(offset, offset + limit), total: entries.length })
      },
      searchFiles: (q) =>
        Promise.resolve({
          matches: [{ path: `src/${q}.ts`, kind: 'file' as const }],
          total: 1,
          isFresh: true,
          isCut: false,
        }),
      gitStatus: () => Promise.reject(new Error('no git')),
      watchFolders: () => Promise.resolve({ watched: 1 }),
      fileEvents: (signal) =>
        Promise.resolve(
          new Response(
            new ReadableStream({
              start(controller) {
                send = (text) => controller.enqueue(new TextEncoder().encode(`data: ${text}\n\n`))
                send('{"type":"open","id":"s1"}')
                signal.addEventListener('abort', () => controller.close())
              },
            }),
          ),
        ),
    },
    { get: (key) => kept.get(key) ?? null, set: (key, value) => void kept.set(key, value ?? '') },
    'files',
  )
  const change = (path: string) => send(JSON.stringify({ type: 'changed', folders: [{ path, names: ['x'] }] }))
  return { tree, change, asked, kept }
}

const paths = (tree: FileTree): string[] => tree.getState().rows.map(rowPath)

it('shows open folders only, loads them once, and remembers them', async () => {
  const disk: Disk = { '': [folder('src'), file('a.txt')], src: [folder('in'), file('b.ts')], 'src/in': [file('c.ts')] }
  const { tree, asked, kept } = openTree(disk)
  const hide = tree.show()
  await vi.waitFor(() => expect(paths(tree)).toEqual(['src', 'a.txt']))
  tree.setExpanded('src', true)
  await vi.waitFor(() => expect(paths(tree)).toEqual(['src', 'src/in', 'src/b.ts', 'a.txt']))
  await tree.reveal('src/in/c.ts')
  expect(paths(tree)).toEqual(['src', 'src/in', 'src/in/c.ts', 'src/b.ts', 'a.txt'])
  expect(tree.getState().active).toBe('src/in/c.ts')
  tree.setExpanded('src', false)
  expect(paths(tree)).toEqual(['src', 'a.txt'])
  expect(asked.filter((one) => one === ' 0')).toHaveLength(1)
  expect(kept.get('files')).toBe('["src/in"]')
  hide()
})

it('shows the first page of a large folder while the others are on their way', async () => {
  const { tree, asked } = openTree({ '': Array.from({ length: 25_000 }, (_, index) => file(`f${index}`)) })
  const seen: number[] = []
  tree.subscribe(({ rows }) => void seen.push(rows.length))
  const hide = tree.show()
  await vi.waitFor(() => expect(paths(tree)).toHaveLength(25_000))
  expect(asked).toEqual([' 0', ' 200', ' 10200', ' 20200'])
  expect(seen.filter((count, index) => count !== seen[index - 1])).toEqual(
    [0, 200, 10_200, 20_200, 25_000].filter((count) => seen.includes(count)),
  )
  expect(tree.getState().rows.at(-1)).toMatchObject({ name: 'f24999', position: 25_000 })
  hide()
})

it('follows changes on disk, and keeps what is shown when a folder vanishes', async () => {
  const disk: Disk = { '': [folder('src')], src: [file('a.ts')] }
  const { tree, change } = openTree(disk)
  const hide = tree.show()
  tree.setExpanded('src', true)
  await vi.waitFor(() => expect(paths(tree)).toEqual(['src', 'src/a.ts']))
  disk['src'] = [file('a.ts'), file('new.ts')]
  await vi.waitFor(() => {
    change('src')
    expect(paths(tree)).toEqual(['src', 'src/a.ts', 'src/new.ts'])
  })
  delete disk['src']
  disk[''] = []
  change('')
  await vi.waitFor(() => expect(paths(tree)).toEqual([]))
  hide()
})

it('a filter shows matches, and an empty one the tree again', async () => {
  const { tree } = openTree({ '': [file('a.txt')] })
  tree.setFilter(' view ')
  await vi.waitFor(() => expect(tree.getState().found?.rows.map(rowPath)).toEqual(['src/view.ts']))
  tree.setFilter('')
  expect(tree.getState().found).toBeUndefined()
})

it('typed letters go to the next match, and a second letter may keep the row', () => {
  const rows = toRows('', [file('alpha'), file('beta'), file('Able'), file('b2')])
  expect(typedAhead(rows, 0, 'a')).toBe(2)
  expect(typedAhead(rows, 2, 'ab')).toBe(2)
  expect(typedAhead(rows, 2, 'b')).toBe(3)
  expect(typedAhead(rows, 0, 'z')).toBeUndefined()
})

it('marks files by the state that matters most, and the folders above', () => {
  const { files, folders } = marksOf([
    { path: 'a/b/c.ts', staged: 'added', unstaged: 'modified' },
    { path: 'new/', unstaged: 'untracked' },
    { path: 'x.ts', conflicted: true },
  ])
  expect([...files]).toEqual([
    ['a/b/c.ts', 'modified'],
    ['new', 'untracked'],
    ['x.ts', 'conflicted'],
  ])
  expect([...folders]).toEqual(['a/b', 'a'])
})
