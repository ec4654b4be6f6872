import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Worktree } from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testRepository, type TestRepository } from '../testing/test-repository.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'

let repo: TestRepository
let server: TestServer
let programs: string
beforeAll(async () => {
  repo = testRepository()
  repo.git('config', 'user.name', 'Ada')
  repo.git('config', 'user.email', 'ada@example.org')
  repo.write('a.txt', 'one\ntwo\nthree\n')
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'first')
  programs = path.join(repo.root, '.git', 'programs')
  mkdirSync(programs)
  server = await testServer({
    workspace: repo.root,
    env: { PATH: `${process.env['PATH']}:${programs}` },
    allowBypass: true,
  })
  await trust(true)
})
afterAll(async () => {
  await server.close()
  repo.remove()
})

const trust = (trusted: boolean) => server.json('/ai/workspace', { method: 'PATCH', body: { trusted } })
type Listed = { worktrees: Worktree[]; setup: { command: string | null; asked: boolean; suggestion: string | null } }
const list = async () => (await server.json<Listed>('/ai/worktrees')).body
const create = async (body: object = {}) =>
  (await server.json<{ worktree: Worktree }>('/ai/worktrees', { body })).body.worktree
const act = (worktree: Worktree, action: string, body: object = {}) =>
  server.json<Record<string, unknown>>(`/ai/worktrees/${worktree.id}/${action}`, { body })
const write = (worktree: Worktree, name: string, text: string) => writeFileSync(path.join(worktree.path, name), text)

it('a chat works in its own worktree, and its difference is listed', async () => {
  const worktree = await create({ name: 'Fix the “login”' })
  expect(worktree).toMatchObject({ name: 'Fix the “login”', base: 'main', state: 'ready', files: 0, ahead: 0 })
  expect(worktree.branch).toMatch(/^troupe\/fix-the-login-[0-9a-f]{4}$/)
  expect(worktree.path.startsWith(server.homePath)).toBe(true)
  server.script('work', [
    [{ call: { name: 'Write', input: { file_path: 'new.txt', content: 'a\nb\n' } } }],
    [{ call: { name: 'Bash', input: { command: 'echo four >> a.txt' } } }],
    [{ text: 'done' }],
  ])
  await server.chat('work', 'work', { workspace: worktree.path, mode: 'bypass' })
  await server.runs.get('work')?.done
  expect((await server.json<Listed>(`/ai/worktrees?workspace=${encodeURIComponent(worktree.path)}`)).body).toEqual(
    await list(),
  )
  const [{ files, added, removed, uncommitted }] = (await list()).worktrees as [Worktree]
  expect({ files, uncommitted }).toEqual({ files: 2, uncommitted: 2 })
  expect([added, removed]).toEqual([1, 0])
  expect(existsSync(repo.file('new.txt'))).toBe(false)
  expect(await act(worktree, 'discard')).toMatchObject({
    status: 409,
    body: { error: { name: 'WorktreeUnsaved', data: { uncommitted: 2, ahead: 0 } } },
  })
  expect((await act(worktree, 'merge', { squash: true, message: 'Log in again' })).body).toMatchObject({ base: 'main' })
  expect(readFileSync(repo.file('new.txt'), 'utf8')).toBe('a\nb\n')
  expect(repo.git('log', '--format=%s|%p', '-1').trim()).toMatch(/^Log in again\|\w+$/)
  expect((await act(worktree, 'discard', { force: true })).status).toBe(200)
  expect(existsSync(worktree.path)).toBe(false)
  expect(repo.git('branch', '--list', 'troupe/*')).toBe('')
  expect((await list()).worktrees).toEqual([])
})

it('two worktrees do not touch each other, and a conflict is handed to the second', async () => {
  const one = await create({ name: 'one' })
  const other = await create({ name: 'other', base: 'main' })
  write(one, 'a.txt', 'ONE\ntwo\nthree\n')
  write(other, 'a.txt', 'OTHER\ntwo\nthree\n')
  expect((await act(one, 'merge')).status).toBe(200)
  expect(repo.git('log', '--merges', '--format=%s', '-1')).toContain(`Merge branch '${one.branch}'`)
  const before = repo.git('rev-parse', 'main')
  expect(await act(other, 'merge')).toMatchObject({
    status: 409,
    body: { error: { name: 'MergeConflict', data: { files: ['a.txt'] } } },
  })
  expect(repo.git('rev-parse', 'main')).toBe(before)
  expect(repo.git('status', '--porcelain')).toBe('')
  expect((await act(other, 'update')).body).toEqual({ conflicts: ['a.txt'] })
  expect(readFileSync(path.join(other.path, 'a.txt'), 'utf8')).toContain('<<<<<<<')
  expect(await act(other, 'merge')).toMatchObject({ body: { error: { name: 'MergeConflict' } } })
  write(other, 'a.txt', 'BOTH\ntwo\nthree\n')
  repo.git('-C', other.path, 'add', 'a.txt')
  expect((await act(other, 'merge')).status).toBe(200)
  expect(readFileSync(repo.file('a.txt'), 'utf8')).toBe('BOTH\ntwo\nthree\n')
  for (const worktree of [one, other]) expect((await act(worktree, 'discard')).body).toEqual({ kept: null })
})

it('a merge never overwrites changes in the main folder', async () => {
  const worktree = await create()
  write(worktree, 'a.txt', 'theirs\n')
  repo.write('a.txt', 'mine, not committed\n')
  const before = repo.git('rev-parse', 'main')
  expect(await act(worktree, 'merge')).toMatchObject({ status: 409, body: { error: { name: 'GitFailed' } } })
  expect(readFileSync(repo.file('a.txt'), 'utf8')).toBe('mine, not committed\n')
  expect(repo.git('rev-parse', 'main')).toBe(before)
  repo.git('checkout', '-q', '--', 'a.txt')
  repo.git('checkout', '-q', '-b', 'side')
  expect((await act(worktree, 'merge')).status).toBe(200)
  expect(repo.git('show', 'main:a.txt')).toBe('theirs\n')
  expect(readFileSync(repo.file('a.txt'), 'utf8')).not.toBe('theirs\n')
  repo.git('checkout', '-q', 'main')
  await act(worktree, 'discard')
})

it('discarded work is kept under a name', async () => {
  const worktree = await create({ base: repo.git('rev-parse', 'HEAD').trim() })
  expect(worktree.base).toBeUndefined()
  write(worktree, 'draft.txt', 'draft\n')
  expect(await act(worktree, 'merge')).toMatchObject({ status: 409, body: { error: { name: 'NoBase' } } })
  const { kept } = (await act(worktree, 'discard', { force: true })).body
  expect(repo.git('show', `${String(kept)}:draft.txt`)).toBe('draft\n')
})

it('ignored files and repositories inside are named before they are lost', async () => {
  const worktree = await create({ name: 'inner' })
  write(worktree, '.gitignore', '.env\nout/\n')
  repo.git('-C', worktree.path, 'add', '-A')
  repo.git('-C', worktree.path, 'commit', '-qm', 'ignore')
  expect((await act(worktree, 'merge')).status).toBe(200)
  write(worktree, '.env', 'KEY=1\n')
  mkdirSync(path.join(worktree.path, 'out', 'deep'), { recursive: true })
  for (const inner of ['-empty', 'out/deep', 'clean']) {
    const folder = path.join(worktree.path, inner)
    repo.git('init', '-q', folder)
    if (inner === '-empty') continue
    writeFileSync(path.join(folder, 'x'), 'x')
    repo.git('-C', folder, 'add', 'x')
    repo.git('-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x')
  }
  // All commits of this one are on a remote.
  repo.git('-C', path.join(worktree.path, 'clean'), 'update-ref', 'refs/remotes/origin/main', 'HEAD')
  writeFileSync(path.join(worktree.path, '-empty', 'draft'), 'x')
  const { status, body } = await act(worktree, 'discard')
  expect(status).toBe(409)
  expect(body).toMatchObject({
    error: {
      name: 'WorktreeUnsaved',
      data: {
        ahead: 0,
        ignored: { count: 2, names: ['.env', 'out/'] },
        repositories: { count: 2, names: ['-empty', 'out/deep'] },
      },
    },
  })
  write(worktree, 'kept.txt', 'kept\n')
  const { kept } = (await act(worktree, 'discard', { force: true })).body
  expect(repo.git('ls-tree', '-r', '--name-only', String(kept))).toMatch(/kept\.txt/)
  expect(existsSync(worktree.path)).toBe(false)
})

it('commits of a worktree that is gone, or that works elsewhere, are kept', async () => {
  const gone = await create({ name: 'gone' })
  const elsewhere = await create({ name: 'elsewhere' })
  for (const worktree of [gone, elsewhere]) {
    write(worktree, 'only-here.txt', `${worktree.name}\n`)
    repo.git('-C', worktree.path, 'add', '-A')
    repo.git('-C', worktree.path, 'commit', '-qm', 'only here')
  }
  rmSync(gone.path, { recursive: true })
  repo.git('-C', elsewhere.path, 'switch', '-q', '--detach', 'main')
  for (const worktree of [gone, elsewhere]) {
    expect(await act(worktree, 'discard')).toMatchObject({
      status: 409,
      body: { error: { name: 'WorktreeUnsaved', data: { uncommitted: 0, ahead: 1 } } },
    })
    const { kept } = (await act(worktree, 'discard', { force: true })).body
    expect(repo.git('log', '--format=%s', String(kept))).toContain('only here')
  }
})

it('a broken worktree hides no other, and its folder stays', async () => {
  const [broken, fine] = [await create({ name: 'broken' }), await create({ name: 'fine' })]
  rmSync(path.join(broken.path, '.git'))
  expect((await list()).worktrees.map(({ name, state }) => [name, state])).toEqual(
    expect.arrayContaining([
      ['broken', 'missing'],
      ['fine', 'ready'],
    ]),
  )
  for (const worktree of [broken, fine]) expect((await act(worktree, 'discard')).status).toBe(200)
  expect([existsSync(broken.path), existsSync(fine.path)]).toEqual([true, false])
})

it('an untrusted folder has no worktrees, because git would run its programs', async () => {
  const worktree = await create()
  await trust(false)
  const scope = `?workspace=${encodeURIComponent(worktree.path)}`
  expect((await server.json(`/ai/workspace${scope}`)).body).toMatchObject({ workspace: { trusted: false } })
  for (const request of [
    () => server.json('/ai/worktrees', { body: {} }),
    () => server.json('/ai/worktrees/setup', { method: 'PUT', body: { command: 'touch x' } }),
  ])
    expect(await request()).toMatchObject({ status: 409, body: { error: { name: 'NeedsTrust' } } })
  await trust(true)
  await act(worktree, 'discard')
})

it('a worktree is not discarded while an agent works in it', async () => {
  const worktree = await create()
  server.script('wait', [[{ call: { name: 'TestApproval', input: {} } }], [{ text: 'ok' }]])
  await server.chat('waiting', 'wait', { workspace: worktree.path })
  expect(await act(worktree, 'discard', { force: true })).toMatchObject({
    status: 409,
    body: { error: { name: 'WorktreeBusy' } },
  })
  const scope = `?workspace=${encodeURIComponent(worktree.path)}`
  const { done } = server.runs.get('waiting')!
  await server.json(`/ai/chat/waiting/stop${scope}`, { method: 'POST', body: {} })
  await done
  expect((await act(worktree, 'discard', { force: true })).status).toBe(200)
})

it('a setup command runs once in each new worktree', async () => {
  repo.write('package-lock.json', '{}')
  expect((await list()).setup).toEqual({ command: null, asked: false, suggestion: 'npm ci' })
  await server.json('/ai/worktrees/setup', { method: 'PUT', body: { command: 'echo ready > ready.txt; echo said' } })
  const worktree = await create()
  expect(worktree.setup).toMatchObject({ state: expect.stringMatching(/running|done/) })
  await expect.poll(async () => (await list()).worktrees[0]?.setup).toMatchObject({ state: 'done', output: 'said\n' })
  expect(readFileSync(path.join(worktree.path, 'ready.txt'), 'utf8')).toBe('ready\n')
  await server.json('/ai/worktrees/setup', { method: 'PUT', body: { command: 'exit 3' } })
  const failed = await create()
  await expect
    .poll(async () => (await list()).worktrees.find(({ id }) => id === failed.id)?.setup?.state)
    .toBe('failed')
  await server.json('/ai/worktrees/setup', { method: 'PUT', body: { command: null } })
  expect((await list()).setup).toMatchObject({ command: null, asked: true })
  for (const one of [worktree, failed]) await act(one, 'discard', { force: true })
})

it('a pull request is opened with the forge’s program', async () => {
  const remote = path.join(repo.root, '.git', 'remote.git')
  repo.git('init', '-q', '--bare', remote)
  repo.git('remote', 'add', 'origin', remote)
  const worktree = await create({ name: 'feature' })
  write(worktree, 'feature.txt', 'x\n')
  const ask = () => act(worktree, 'pull-request', { title: 'A $(feature)', body: 'Text' })
  if (!existsSync('/usr/bin/gh')) expect(await ask()).toMatchObject({ body: { error: { name: 'NoForge' } } })
  writeFileSync(path.join(programs, 'gh'), '#!/bin/sh\necho "https://example.org/pr/1?title=$4&head=$8"\n')
  chmodSync(path.join(programs, 'gh'), 0o755)
  expect((await ask()).body['url']).toMatch(/^https:\/\/example\.org\/pr\/1\?title=A/)
  expect(repo.git('--git-dir', remote, 'log', '--format=%s', '-1', worktree.branch).trim()).toBe('A $(feature)')
  await act(worktree, 'discard')
})

it.each([
  [{ base: 'nowhere' }, 'BadBase'],
  [{ base: '--help' }, 'BadBase'],
  [{ base: 'main..HEAD' }, 'BadBase'],
])('%j is refused', async (body, name) => {
  expect(await server.json('/ai/worktrees', { body })).toMatchObject({ body: { error: { name } } })
})

it('an unknown worktree is not found', async () => {
  expect(await server.json('/ai/worktrees/nope/discard', { body: {} })).toMatchObject({ status: 404 })
})
