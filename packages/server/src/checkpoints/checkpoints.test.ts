import { hash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ScriptTurn } from '@troupe/core/testing'
import type { ChangedFile, ChangeTurn, CommandFile, Reverted } from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testRepository } from '../testing/test-repository.ts'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await testServer({ config: { permissions: { allow: ['Write', 'Edit', 'Read', 'Bash', 'Task'] } } })
  folder = server.workspace.path
})
afterAll(() => server.close())

const call = (name: string, input: object): ScriptTurn[number] => ({ call: { name, input } })
const write = (file: string, content: string) => call('Write', { file_path: file, content })
const file = (name: string): string => path.join(folder, name)
const read = (name: string): string => readFileSync(file(name), 'utf8')

/** Sends a message and returns its id. */
async function turn(session: string, text: string, calls: ScriptTurn[]): Promise<string> {
  server.script(text, [...calls, [{ text: 'Done.' }]])
  const message = userMessage(text)
  await server.chat(session, message)
  return message.id
}

const changed = async (session: string, query = '') =>
  (
    await server.json<{ files: ChangedFile[]; commands: string[]; commandFiles: CommandFile[] }>(
      `/ai/sessions/${session}/changed${query}`,
    )
  ).body
const revert = async (session: string, body: object) =>
  server.json<Reverted & { error?: { name: string } }>(`/ai/sessions/${session}/revert`, { body })
const preview = async (session: string, message: string) =>
  (
    await server.json<{ files: ChangedFile[]; skipped: object[]; commands: string[]; version: string }>(
      `/ai/sessions/${session}/checkpoint?message=${message}`,
    )
  ).body

it('changes are listed for the chat and by turn, with sub-agents', async () => {
  writeFileSync(file('old.txt'), 'zero\n')
  server.script('deep', [[write('deep.txt', 'deep\n')], [{ text: 'Done.' }]])
  const one = await turn('list', 'one', [[call('Read', { file_path: 'old.txt' })], [write('old.txt', 'one\n')]])
  const two = await turn('list', 'two', [
    [write('old.txt', 'two\n'), write('new.txt', 'new\n')],
    [call('Task', { name: 'coder', task: 'deep' })],
    [call('Bash', { command: 'echo hi' })],
  ])
  const all = await changed('list')
  expect(all.files).toMatchObject([
    { path: 'old.txt', change: 'changed', diff: '@@ -1 +1 @@\n-zero\n+two\n' },
    { path: 'new.txt', change: 'created' },
    { path: 'deep.txt', change: 'created' },
  ])
  expect(all.commands).toEqual(['echo hi'])
  const { turns } = (await server.json<{ turns: ChangeTurn[] }>('/ai/sessions/list/turns')).body
  expect(turns).toMatchObject([
    { messageId: two, text: 'two', files: 3, commands: 1, isUndone: false },
    { messageId: one, text: 'one', files: 1, commands: 0 },
  ])
  expect((await changed('list', `?turn=${one}`)).files).toMatchObject([{ diff: '@@ -1 +1 @@\n-zero\n+one\n' }])
  expect((await changed('list', `?turn=${two}`)).files).toHaveLength(3)
})

it('a file, a hunk, a call and a turn are reverted, and each revert can be undone', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}\n`)
  writeFileSync(file('hunks.txt'), lines.join(''))
  const asked = await turn('revert', 'change', [
    [call('Read', { file_path: 'hunks.txt' })],
    [
      call('Edit', { file_path: 'hunks.txt', old_string: 'line 2\n', new_string: 'two\n' }),
      call('Edit', { file_path: 'hunks.txt', old_string: 'line 15\n', new_string: 'fifteen\n' }),
    ],
    [write('made/by-chat.txt', 'x\n')],
  ])
  const [shown, made] = (await changed('revert')).files as [ChangedFile, ChangedFile]
  const part = await revert('revert', { path: shown.path, version: shown.version, hunks: [shown.hunks[0]!.id] })
  expect(part.body).toMatchObject({ restored: ['hunks.txt'], skipped: [] })
  expect(read('hunks.txt')).toBe(lines.with(15, 'fifteen\n').join(''))
  // The rest of the page still shows the file from before.
  expect((await revert('revert', { path: shown.path, version: shown.version })).body.skipped).toHaveLength(1)
  const now = (await changed('revert')).files[0]!
  await revert('revert', { path: now.path, version: now.version })
  expect(read('hunks.txt')).toBe(lines.join(''))
  expect((await changed('revert')).files).toMatchObject([{ path: 'made/by-chat.txt' }])
  const byCall = await revert('revert', { call: made.calls[0]! })
  expect(byCall.body).toMatchObject({ removed: ['made/by-chat.txt'] })
  expect(existsSync(file('made'))).toBe(false)
  const undone = await server.json<Reverted>(`/ai/reverts/${byCall.body.revertId}/undo`, { method: 'POST' })
  expect(undone.body.restored).toEqual(['made/by-chat.txt'])
  appendFileSync(file('made/by-chat.txt'), 'theirs\n')
  const byTurn = await revert('revert', { turn: asked })
  expect(byTurn.body.skipped.map(({ path: name }) => name)).toContain('made/by-chat.txt')
  expect(read('made/by-chat.txt')).toBe('x\ntheirs\n')
  expect((await revert('revert', { call: 'unknown' })).body.error?.name).toBe('NothingToRevert')
  expect((await revert('revert', { path: '../outside', version: '' })).status).toBe(404)
})

it('a rewind shows first what it changes, keeps what others changed, and can be undone', async () => {
  const one = await turn('rewind', 'first', [[write('r.txt', 'one\n')]])
  const two = await turn('rewind', 'second', [[write('r.txt', 'two\n'), write('other.txt', 'x\n')]])
  const messages = await server.messages('rewind')
  const answer = messages.find(({ parentMessageId }) => parentMessageId === one)!.id
  expect((await preview('rewind', one)).files.map(({ path: name, change }) => [name, change])).toEqual([
    ['other.txt', 'deleted'],
    ['r.txt', 'deleted'],
  ])
  const shown = await preview('rewind', two)
  expect((await preview('rewind', answer)).version).toBe(shown.version)
  expect(shown.files.find(({ path: name }) => name === 'r.txt')?.diff).toBe('@@ -1 +1 @@\n-two\n+one\n')
  expect((await revert('rewind', { since: two, version: 'older' })).body.error?.name).toBe('ChangesMoved')
  appendFileSync(file('other.txt'), 'mine\n')
  expect((await preview('rewind', two)).skipped).toMatchObject([{ path: 'other.txt' }])
  const done = await revert('rewind', { since: two, version: shown.version })
  expect(done.body).toMatchObject({ restored: ['r.txt'], skipped: [{ path: 'other.txt' }] })
  expect([read('r.txt'), read('other.txt')]).toEqual(['one\n', 'x\nmine\n'])
  await server.json(`/ai/reverts/${done.body.revertId}/undo`, { method: 'POST' })
  expect(read('r.txt')).toBe('two\n')
  const ended = await server.json<{ messages: unknown[] }>(`/ai/sessions/rewind/messages?leaf=${answer}&end=1`)
  expect(ended.body.messages).toHaveLength(2)
})

it('what is gone or belongs to others is refused', async () => {
  expect((await server.json('/ai/sessions/none/changed')).status).toBe(404)
  expect((await server.json('/ai/sessions/rewind/checkpoint?message=none')).status).toBe(404)
  expect((await server.json('/ai/reverts/revert_none/undo', { method: 'POST' })).status).toBe(404)
})

it('files that only commands changed are listed, against the last commit or without their content before', async () => {
  const repo = testRepository()
  repo.write('tracked.txt', 'one\n')
  repo.write('gone.txt', 'gone\n')
  repo.write('mine.txt', 'mine\n')
  repo.git('add', '-A')
  repo.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first')
  const scope = `workspace=${encodeURIComponent(repo.root)}`
  const chat = async (session: string, text: string, command: string, workspace: string) => {
    server.script(text, [[write('tool.txt', 'tool\n')], [call('Bash', { command })], [{ text: 'Done.' }]])
    await server.chat(session, text, { workspace })
  }
  const command = `echo two >> tracked.txt; rm gone.txt; echo new > 'a b.txt'`
  await chat('commands', 'run it here', command, repo.root)
  await server.json(`/ai/files/content?${scope}`, {
    method: 'PUT',
    body: { path: 'mine.txt', text: 'saved\n', version: sha256('mine\n') },
  })
  const { files, commandFiles } = await changed('commands', `?${scope}`)
  expect(files.map((one) => one.path)).toEqual(['tool.txt'])
  expect(
    commandFiles
      .map((one) => [one.path, one.change, one.diff, one.comparedWith])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  ).toEqual([
    ['a b.txt', 'created', '@@ -0,0 +1 @@\n+new\n', 'commit'],
    ['gone.txt', 'deleted', '@@ -1 +0,0 @@\n-gone\n', 'commit'],
    ['tracked.txt', 'changed', '@@ -1 +1,2 @@\n one\n+two\n', 'commit'],
  ])
  repo.remove()
  writeFileSync(file('known.txt'), 'before\n')
  await chat('no-git', 'run it there', 'echo after > known.txt', folder)
  expect((await changed('no-git')).commandFiles).toMatchObject([{ path: 'known.txt', note: 'command', diff: '' }])
})

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}
