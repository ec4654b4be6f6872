import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { GitDiff, GitReadyStatus } from '@troupe/protocol'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { testRepository, type TestRepository } from '../testing/test-repository.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'

let repo: TestRepository
let server: TestServer
beforeAll(async () => {
  repo = testRepository()
  server = await testServer({ workspace: repo.root })
})
beforeEach(async () => {
  repo.reset()
  for (const [name, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.org'],
  ] as const)
    repo.git('config', name, value)
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: false } })
})
afterAll(async () => {
  await server.close()
  repo.remove()
})

const post = <T = Record<string, never>>(route: string, body: object) =>
  server.json<T & { error?: { name: string } }>(`/ai/git/${route}`, { body })
const status = async () => (await server.json<GitReadyStatus>('/ai/git/status')).body
const diff = async (path: string, staged = false): Promise<GitDiff> =>
  (await post<{ files: GitDiff[] }>('diff', { paths: [path], staged, secret: true })).body.files[0]!
const read = (name: string): string => readFileSync(repo.file(name), 'utf8')
const first = (): void => {
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'first')
}
const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`)

it('files and hunks are staged and unstaged, exact to the byte', async () => {
  repo.write('a', `${lines.join('\r\n')}\r\n`)
  repo.write('-x', 'one\n')
  first()
  const changed = lines.with(2, 'two ÿ').with(20, 'twenty')
  const bytes = Buffer.from(`${changed.join('\r\n')}\r\nno end`, 'latin1')
  writeFileSync(repo.file('a'), bytes)
  repo.write('-x', 'two\n')
  repo.write('new\nname', 'new\n')
  const { hunks } = await diff('a')
  expect(hunks).toHaveLength(3)
  await post('stage', { files: [{ path: 'a', hunks: [hunks[1]!.id] }, { path: '-x' }, { path: 'new\nname' }] })
  expect(repo.git('show', ':a')).toBe(`${lines.with(20, 'twenty').join('\r\n')}\r\n`)
  expect((await status()).counts).toEqual({ staged: 3, unstaged: 1, untracked: 0, conflicts: 0 })
  expect((await post('stage', { files: [{ path: 'a', hunks: [hunks[1]!.id] }] })).body.error?.name).toBe('FileChanged')
  await post('stage', { files: [{ path: 'a' }] })
  const staged = await diff('a', true)
  await post('unstage', { files: [{ path: 'a', hunks: [staged.hunks[0]!.id] }, { path: '-x' }] })
  expect(repo.git('show', ':a')).toBe(`${lines.with(20, 'twenty').join('\r\n')}\r\nno end`)
  expect(readFileSync(repo.file('a'))).toEqual(bytes)
  await post('unstage', { files: [{ path: 'a' }, { path: 'new\nname' }] })
  expect((await status()).counts).toEqual({ staged: 0, unstaged: 2, untracked: 1, conflicts: 0 })
})

it('hunks of a renamed file are unstaged, and the rename stays', async () => {
  repo.write('old', `${lines.join('\n')}\n`)
  first()
  repo.git('mv', 'old', 'new')
  repo.write('new', `${lines.with(2, 'two').with(20, 'twenty').join('\n')}\n`)
  repo.git('add', 'new')
  const { body } = await post<{ files: GitDiff[] }>('diff', { paths: ['new', 'old'], staged: true })
  const [moved] = body.files as [GitDiff]
  expect(moved).toMatchObject({ path: 'new', from: 'old', change: 'moved', hunks: { length: 3 } })
  await post('unstage', { files: [{ path: 'new', hunks: [moved.hunks[1]!.id] }] })
  expect(repo.git('show', ':new')).toBe(`${lines.with(20, 'twenty').join('\n')}\n`)
})

it('before the first commit, files are staged, unstaged and committed', async () => {
  repo.write('a', 'one\n')
  await post('stage', { files: [{ path: 'a' }] })
  await post('unstage', { files: [{ path: 'a' }] })
  expect((await status()).files).toEqual([{ path: 'a', unstaged: 'untracked' }])
  await post('stage', { files: [{ path: 'a' }] })
  const { stagedVersion } = await status()
  const { body } = await post<{ subject: string }>('commit', { message: '# not a comment\n\nbody', stagedVersion })
  expect(body.subject).toBe('# not a comment')
})

it('a commit is what was shown, and says what is missing', async () => {
  repo.write('a', 'one\n')
  first()
  expect((await post('commit', { message: 'x', stagedVersion: '' })).body.error?.name).toBe('NothingStaged')
  repo.write('a', 'two\n')
  await post('stage', { files: [{ path: 'a' }] })
  const { stagedVersion } = await status()
  repo.write('a', 'three\n')
  repo.git('add', 'a')
  expect((await post('commit', { message: 'x', stagedVersion })).body.error?.name).toBe('StagedChanged')
  repo.git('config', '--unset', 'user.email')
  repo.git('config', 'user.useConfigOnly', 'true')
  const now = (await status()).stagedVersion
  expect((await post('commit', { message: 'x', stagedVersion: now })).body.error?.name).toBe('GitIdentityMissing')
  repo.write('.git/index.lock', '')
  expect((await post('stage', { files: [{ path: 'a' }] })).body.error?.name).toBe('GitBusy')
})

it('hooks run only in a trusted folder', async () => {
  repo.write('.git/hooks/pre-commit', '#!/bin/sh\ntouch ran\nexit 1\n')
  chmodSync(repo.file('.git/hooks/pre-commit'), 0o755)
  const commit = async () => {
    repo.write('a', String(Math.random()))
    await post('stage', { files: [{ path: 'a' }] })
    return post('commit', { message: 'x', stagedVersion: (await status()).stagedVersion })
  }
  expect((await commit()).status).toBe(200)
  expect(existsSync(repo.file('ran'))).toBe(false)
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
  expect((await commit()).body.error?.name).toBe('GitFailed')
  expect(existsSync(repo.file('ran'))).toBe(true)
})

it('files with a filter need a trusted folder, and stashes merge without programs', async () => {
  repo.git('config', 'filter.up.clean', 'tr a-z A-Z')
  repo.git('config', 'merge.evil.driver', 'touch ran')
  repo.write('.gitattributes', '*.up filter=up\n* merge=evil\n')
  repo.write('m', 'one\n')
  first()
  repo.write('x.up', 'text\n')
  expect((await post('stage', { files: [{ path: 'x.up' }] })).body.error?.name).toBe('NeedsTrust')
  repo.write('m', 'two\n')
  expect((await post('stashes', { message: 'later' })).status).toBe(200)
  expect(read('m')).toBe('one\n')
  const { body } = await server.json<{ stashes: { id: string; text: string }[] }>('/ai/git/stashes')
  expect(body.stashes).toMatchObject([{ text: 'On main: later' }])
  repo.write('m', 'other\n')
  repo.git('commit', '-qam', 'other')
  expect((await post('stashes/pop', { id: body.stashes[0]!.id })).status).toBe(409)
  expect((await status()).counts.conflicts).toBe(1)
  expect(existsSync(repo.file('ran'))).toBe(false)
  expect((await post('stashes/pop', { id: '0'.repeat(40) })).status).toBe(404)
})

it('branches are created and switched, and local changes are never lost', async () => {
  repo.write('a', 'one\n')
  first()
  expect((await post<{ status: GitReadyStatus }>('branches', { name: 'topic/x' })).body.status.branch.name).toBe(
    'topic/x',
  )
  for (const name of ['-f', 'a b', '@{-1}', 'x..y', '--orphan'])
    expect((await post('branches', { name })).body.error?.name).toBe('BadBranchName')
  repo.write('a', 'two\n')
  repo.git('commit', '-qam', 'two')
  repo.write('a', 'mine\n')
  expect((await post('switch', { name: 'main' })).body.error?.name).toBe('GitFailed')
  expect(read('a')).toBe('mine\n')
  const { body } = await server.json<{ branches: { name: string; current: boolean }[] }>('/ai/git/branches')
  expect(body.branches.filter(({ current }) => current)).toMatchObject([{ name: 'topic/x' }])
})

it('discarding skips what changed, keeps the old content, and can be undone', async () => {
  repo.write('a', `${lines.join('\n')}\n`)
  repo.write('run.sh', '#!/bin/sh\n')
  chmodSync(repo.file('run.sh'), 0o755)
  first()
  repo.write('a', `${lines.with(2, 'two').with(20, 'twenty').join('\n')}\n`)
  mkdirSync(repo.file('deep'))
  repo.write('deep/new', 'untracked\n')
  rmSync(repo.file('run.sh'))
  const shown = await Promise.all(['a', 'deep/new', 'run.sh'].map((path) => diff(path)))
  const [a, created, gone] = shown as [GitDiff, GitDiff, GitDiff]
  type Outcome = { restored: string[]; skipped: { path: string }[]; revertId: string }
  const part = await post<Outcome>('discard', { files: [{ path: 'a', version: a.version, hunks: [a.hunks[0]!.id] }] })
  expect(part.body.restored).toEqual(['a'])
  expect(read('a')).toBe(`${lines.with(20, 'twenty').join('\n')}\n`)
  const whole = await post<Outcome>('discard', {
    files: [a, created, gone].map(({ path, version }) => ({ path, version })),
  })
  expect(whole.body).toMatchObject({ restored: ['deep/new', 'run.sh'], skipped: [{ path: 'a' }] })
  expect(existsSync(repo.file('deep/new'))).toBe(false)
  expect(statSync(repo.file('run.sh')).mode & 0o111).not.toBe(0)
  const undone = await server.json(`/ai/reverts/${whole.body.revertId}/undo`, { method: 'POST' })
  expect(undone.body).toMatchObject({ restored: ['deep/new'], removed: ['run.sh'] })
  expect(read('deep/new')).toBe('untracked\n')
  appendFileSync(repo.file('a'), 'theirs\n')
  expect((await server.json(`/ai/reverts/${part.body.revertId}/undo`, { method: 'POST' })).body).toMatchObject({
    restored: [],
    skipped: [{ path: 'a' }],
  })
})

it('a message is drafted without files that may contain secrets', async () => {
  repo.write('code.ts', 'export const answer = 42\n')
  repo.write('.env', 'TOKEN=hidden-value\n')
  first()
  repo.write('code.ts', 'export const answer = 43\n')
  repo.write('.env', 'TOKEN=other-value\n')
  expect((await post('message', {})).body.error?.name).toBe('NothingStaged')
  await post('stage', { files: [{ path: 'code.ts' }, { path: '.env' }] })
  const { body } = await post<{ message: string }>('message', {})
  expect(body.message).toContain('answer = 43')
  expect(body.message).not.toContain('value')
})
