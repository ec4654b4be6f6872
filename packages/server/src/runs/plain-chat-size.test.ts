import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'

/** Maximum request overhead of a plain chat in bytes. */
const most = 12_000

const models: [WireProvider, string][] = [
  ['openai', 'gpt-6-sol'],
  ['anthropic', 'claude-sonnet-5-5'],
  ['google', 'gemini-3.8-flash'],
  ['deepseek', 'deepseek-v4-pro'],
]

let wire: WireServer
let server: TestServer
beforeAll(async () => {
  wire = await wireServer()
  const providers = Object.fromEntries(
    models.map(([id]) => [id, { baseURL: wire.baseURL(id), apiKey: 'canary-key-0123456789' }]),
  )
  server = await testServer({ testApproval: false, config: { providers } })
})
afterAll(async () => {
  await server.close()
  await wire.close()
})

it.each(models)(
  'tools and instructions of a plain chat with %s are at most 12 KB on the wire',
  async (provider, id) => {
    wire.clear()
    wire.play({ turn: { text: 'Hello.' } })
    await server.chat(`size-${provider}`, 'hello', { model: `${provider}/${id}` })
    const body = wire.requests[0]?.body as Record<string, unknown>
    const { tools, system, systemInstruction } = body
    const messages = (body['messages'] ?? body['input'] ?? []) as { role: string }[]
    const instructions = [
      system,
      systemInstruction,
      messages.filter(({ role }) => role === 'system' || role === 'developer'),
    ]
    expect(JSON.stringify(tools)).toContain('ToolSearch')
    expect(JSON.stringify([tools, instructions]).length).toBeLessThanOrEqual(most)
  },
)

const toolsOf = (index: number): string[] => (server.model.calls[index]?.tools ?? []).map(({ name }) => name)

it('an unlisted tool can be called by name, or found and then called, and stays listed', async () => {
  const first = server.model.calls.length
  server.script('time', [[{ call: { name: 'TimeNow', input: { timezone: 'UTC' } } }], [{ text: 'Late.' }]])
  server.script('find', [[{ call: { name: 'ToolSearch', input: { query: 'draw a chart' } } }], [{ text: 'Found.' }]])
  const { message } = await server.chat('unlisted', 'time', { model: 'test/script' })
  expect(message.parts).toContainEqual(expect.objectContaining({ type: 'tool-TimeNow', state: 'output-available' }))
  await server.chat('unlisted', 'find')
  await server.chat('unlisted', 'and now?')
  const [before, after, , found, later] = [0, 1, 2, 3, 4].map((n) => toolsOf(first + n))
  expect(before).not.toContain('TimeNow')
  expect(before?.length).toBeLessThanOrEqual(13)
  expect(after).toEqual([...before!, 'TimeNow'])
  expect(found?.slice(0, after!.length)).toEqual(after)
  expect(found).toContain('ChartRender')
  expect(later).toEqual(found)
})

it.each([
  ['TaskOutput', 'Bash', { command: 'true', run_in_background: true }],
  ['WriteStdin', 'ExecCommand', { cmd: 'true' }],
  ['WaitAgent', 'Task', { name: 'explore', task: 'look', background: true }],
  ['NotebookEdit', 'Read', { file_path: 'a.ipynb' }],
])('%s is listed after a call of %s', async (tool, name, input) => {
  const first = server.model.calls.length
  server.script(`do ${tool}`, [[{ call: { name, input } }], [{ text: 'Done.' }]])
  await server.chat(`after-${tool}`, `do ${tool}`, { model: 'test/script', headless: true })
  expect(toolsOf(first)).not.toContain(tool)
  expect(server.model.calls.slice(first + 1).some((_, n) => toolsOf(first + 1 + n).includes(tool))).toBe(true)
})

it('an agent with its own tools sees all of them', async () => {
  const first = server.model.calls.length
  await server.chat('shell', 'hello', { model: 'test/script', agent: 'shell' })
  expect(toolsOf(first)).toEqual(expect.arrayContaining(['Bash', 'ExecCommand', 'TaskOutput', 'TimeNow', 'ListDir']))
  expect(toolsOf(first)).not.toContain('ToolSearch')
})
