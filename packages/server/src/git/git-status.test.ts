import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import type { GitDiff, GitReadyStatus, GitStatus } from '@troupe/protocol'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { testRepository, type TestRepository } from '../testing/test-repository.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { parseStatus } from './git-status.ts'

let repo: TestRepository
let server: TestServer
beforeAll(async () => {
  repo = testRepository()
  server = await testServer({ workspace: repo.root })
})
beforeEach(() => repo.reset())
afterAll(async () => {
  await server.close()
  repo.remove()
})

const status = async (): Promise<GitReadyStatus> =>
  (await server.json<GitStatus>('/ai/git/status')).body as GitReadyStatus
const diff = async (body: object = {}): Promise<GitDiff[]> =>
  (await server.json<{ files: GitDiff[] }>('/ai/git/diff', { body })).body.files

it('status tells branch, marks and counts', async () => {
  expect(await status()).toMatchObject({ state: 'ready', branch: { name: 'main', head: null }, files: [] })
  for (const name of ['kept', 'gone', 'old', 'both']) repo.write(name, `${name}\n`.repeat(9))
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'one')
  repo.git('mv', 'old', 'new')
  repo.write('both', 'staged\n')
  repo.git('add', 'both')
  repo.write('both', 'changed again\n')
  rmSync(repo.file('gone'))
  repo.write('added', '1\n')
  repo.git('add', 'added')
  mkdirSync(repo.file('folder'))
  repo.write('folder/untracked', '1\n')
  const now = await status()
  expect(now.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'added', staged: 'added' },
    { path: 'both', staged: 'modified', unstaged: 'modified' },
    { path: 'folder/untracked', unstaged: 'untracked' },
    { path: 'gone', unstaged: 'deleted' },
    { path: 'new', from: 'old', staged: 'renamed' },
  ])
  expect(now.counts).toEqual({ staged: 3, unstaged: 2, untracked: 1, conflicts: 0 })
  const before = now.stagedVersion
  repo.git('add', 'folder')
  expect((await status()).stagedVersion).not.toBe(before)
})

it('names with line breaks, direction marks, emoji, quotes and leading dashes are exact', async () => {
  const names = [
    '-rf',
    'line\nbreak',
    'rtl‮txt.exe',
    '😀',
    'quote"back\\slash',
    ' space ',
    'a -> b',
    'tab\there',
    ':(glob)*',
  ]
  for (const name of names) repo.write(name, 'one\n')
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'one')
  for (const name of names) repo.write(name, 'two\n')
  repo.write('diff --git a\nb', 'new\n')
  const found = await status()
  expect(found.files.map(({ path }) => path).toSorted()).toEqual([...names, 'diff --git a\nb'].toSorted())
  expect((await diff()).map(({ path }) => path).toSorted()).toEqual([...names, 'diff --git a\nb'].toSorted())
  for (const name of names)
    expect(await diff({ paths: [name] })).toMatchObject([{ path: name, change: 'changed', added: 1, removed: 1 }])
})

type Page = { files: GitDiff[]; next: number | null }

it('diffs come in pages, with notes where there are no lines', async () => {
  repo.write('bin', '\0one')
  repo.write('text', 'one\n')
  repo.write('moved', 'same\n'.repeat(20))
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'one')
  repo.write('bin', '\0two')
  repo.write('text', '')
  repo.git('mv', 'moved', 'there')
  repo.write('.env', 'KEY=1\n')
  repo.write('no-end', 'x')
  repo.write('empty', '')
  symlinkSync('/etc/passwd', repo.file('link'))
  const all = await diff()
  expect(Object.fromEntries(all.map(({ path, note, change, diff: text }) => [path, [change, note ?? text]]))).toEqual({
    bin: ['changed', 'binary'],
    text: ['changed', '@@ -1 +0,0 @@\n-one\n'],
    '.env': ['created', 'secret'],
    'no-end': ['created', '@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n'],
    empty: ['created', ''],
    link: ['created', 'not-a-file'],
  })
  expect(await diff({ staged: true })).toMatchObject([{ path: 'there', from: 'moved', change: 'moved' }])
  expect(await diff({ paths: ['.env'], secret: true })).toMatchObject([{ diff: '@@ -0,0 +1 @@\n+KEY=1\n' }])
  const paged: string[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const page: Page = (await server.json<Page>('/ai/git/diff', { body: { offset, limit: 2 } })).body
    paged.push(...page.files.map(({ path }) => path))
    offset = page.next
  }
  expect(paged).toEqual(all.map(({ path }) => path))
  for (const paths of [['../x'], ['/etc/passwd'], ['.git/config']])
    expect((await server.json('/ai/git/diff', { body: { paths } })).status).toBe(400)
})

it('a folder below the top shows its own files', async () => {
  mkdirSync(repo.file('below'))
  repo.write('top', '1\n')
  repo.write('below/own', '1\n')
  repo.git('add', '-A')
  const other = await testServer({ workspace: repo.file('below') })
  const found = (await other.json<GitReadyStatus>('/ai/git/status')).body
  expect(found).toMatchObject({ files: [{ path: 'own', staged: 'added' }], stagedElsewhere: 1 })
  expect((await other.json('/ai/git/diff', { body: { staged: true } })).body).toMatchObject({
    files: [{ path: 'own' }],
  })
  await other.close()
})

it('without git or a repository, the answer says so', async () => {
  const other = await testServer({})
  expect((await other.json('/ai/git/status')).body).toEqual({ state: 'none' })
  expect((await other.json('/ai/git/diff', { body: {} })).body).toMatchObject({ error: { name: 'NoRepository' } })
  await other.close()
})

it('more files than fit are counted', () => {
  const output = Buffer.from(Array.from({ length: 9 }, (_, n) => `? file-${n}\0`).join(''))
  expect(parseStatus(output, { prefix: '', most: 4 })).toMatchObject({
    files: { length: 4 },
    counts: { untracked: 9 },
    isCut: true,
  })
})
