import type { ScriptTurn } from '@troupe/core/testing'
import type { StoredMessage } from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer({ config: { permissions: { allow: ['Write', 'Bash', 'Undo', 'Task', 'SendInput'] } } })
})
afterAll(() => server.close())

const call = (name: string, input: object): ScriptTurn[number] => ({ call: { name, input } })
const write = (file: string) => call('Write', { file_path: file, content: 'x\n' })
const changes = (leaf: string, after: string) => server.json(`/ai/sessions/s/changes?leaf=${leaf}&after=${after}`)

async function ask(text: string, parentMessageId?: string): Promise<string> {
  const message = userMessage(text)
  const { message: answer } = await server.chat('s', message, parentMessageId === undefined ? {} : { parentMessageId })
  return answer.id
}

it('changed files of a branch are listed: by tools, commands, sub-agents and undos', async () => {
  const fork = await ask('hello')
  server.script('deep', [[write('sub/agent.txt')], [{ text: 'Done.' }]])
  server.script('left', [
    [write('left.txt')],
    [call('Bash', { command: 'mkdir -p made && cd made' })],
    [call('Bash', { command: 'echo 1 > bash.txt' })],
    [call('Bash', { command: 'cd .. && git --version && node -e 1' })],
    [call('Bash', { command: 'ls' }), call('Task', { name: 'coder', task: 'deep' })],
    [{ text: 'All of it.' }],
  ])
  const left = await ask('left', fork)
  expect((await changes(left, fork)).body).toEqual({
    files: ['left.txt', 'made', 'made/bash.txt', 'sub/agent.txt'],
    commands: 1,
  })

  server.script('right', [[write('right.txt')], [call('Undo', { scope: 'turn' })], [{ text: 'As it was.' }]])
  const right = await ask('right', fork)
  expect((await changes(right, fork)).body).toEqual({ files: ['right.txt'], commands: 0 })

  const { agents } = (await server.json<{ agents: { agentId: string }[] }>('/ai/sessions/s/agents')).body
  server.script('again', [[write('again.txt')], [{ text: 'Done.' }]])
  server.script('more', [[call('SendInput', { agent_id: agents[0]?.agentId, message: 'again' })], [{ text: 'Told.' }]])
  const more = await ask('more', left)
  expect((await changes(more, left)).body).toEqual({ files: ['again.txt'], commands: 0 })
})

it('changes undone with a command count for that command', async () => {
  server.script('made', [[write('made.txt')], [{ text: 'Done.' }]])
  const made = await ask('made')
  const undone = await ask('/undo')
  expect((await changes(undone, made)).body).toEqual({ files: ['made.txt'], commands: 0 })
})

it('a branch without the given message is not listed', async () => {
  const messages = (await server.json<{ messages: StoredMessage[] }>('/ai/sessions/s/messages')).body.messages
  const leaf = messages.at(-1)?.id ?? ''
  expect(await changes('lost', 'lost')).toMatchObject({ status: 404, body: { error: { name: 'MessageNotFound' } } })
  expect((await changes(leaf, 'lost')).status).toBe(404)
  expect((await server.json('/ai/sessions/s/changes')).status).toBe(200)
  expect((await server.json('/ai/sessions/nowhere/changes')).body).toMatchObject({ error: { name: 'SessionNotFound' } })
})

it('an import can have any value in place of tool calls and results', async () => {
  await server.chat('plain', userMessage('hello'))
  const file = (await (await server.fetch('/ai/sessions/plain/export?format=json')).json()) as {
    session: { id: string }
    messages: { parts: object[] }[]
  }
  const done = { type: 'tool-Bash', state: 'output-available', input: { command: 'ls' }, output: null }
  const troupe = { executedInput: 5, display: { content: { kind: 'patch', files: [null, 5] } } }
  file.session.id = 'odd'
  file.messages.at(-1)!.parts = [
    { ...done, toolCallId: 'odd-1', toolMetadata: { troupe } },
    { ...done, toolCallId: 'odd-2', toolMetadata: { troupe: { executedInput: { command: 7 } } } },
  ]
  const imported = await server.fetch('/ai/sessions/import', {
    method: 'POST',
    body: JSON.stringify(file),
    headers: { 'content-type': 'application/json' },
  })
  expect(await imported.text()).toContain('"added":2')
  expect((await server.json('/ai/sessions/odd/changes')).status).toBe(200)
})
