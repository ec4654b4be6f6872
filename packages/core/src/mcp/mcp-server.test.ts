import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Usage } from '../../../protocol/src/message.ts'
import { sendSignalTo } from '../process/processes.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import { longestPause, scriptedModel, testToolContext } from '../testing/index.ts'
import type { Answer } from '../tool/asks.ts'
import { buildTools } from '../tool/tool-set.ts'
import { type Tool, type ToolContext, unwrapResult } from '../tool/tool.ts'
import { createTransport } from './create-transport.ts'
import { createMcpServer, type McpServer, type McpServerOptions } from './mcp-server.ts'
import type { McpLimits } from './server-config.ts'

const program = path.join(import.meta.dirname, '../../testing/mcp-server.mjs')
const open: McpServer[] = []
let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-mcp-'))
})

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
  rmSync(folder, { recursive: true, force: true })
})

interface Given extends Partial<McpServerOptions> {
  args?: string[]
  limits?: Partial<McpLimits>
  known?: string
  env?: NodeJS.ProcessEnv
  command?: string
}

function start(behaviour: string, given: Given = {}): McpServer & { trustedNow(): string | undefined } {
  let known = given.known
  const { args = [], limits = {}, env, command = process.execPath, ...options } = given
  const server = createMcpServer({
    name: 'files',
    trusted: { get: () => known, set: (next) => void (known = next) },
    limits,
    transport: (onText) =>
      createTransport(
        { type: 'stdio', command, args: [program, behaviour, ...args], env: { GIVEN: 'yes' } },
        { folder, onText, limits, env },
      ),
    ...options,
  })
  open.push(server)
  void server.connect()
  return Object.assign(server, { trustedNow: () => known })
}

async function started(behaviour: string, given: Given = {}): Promise<ReturnType<typeof start>> {
  const server = start(behaviour, given)
  await server.settled()
  return server
}

async function until(what: () => boolean, ms = 10_000): Promise<void> {
  for (const end = performance.now() + ms; !what();) {
    if (performance.now() > end) throw new Error('It did not happen.')
    await delay(10)
  }
}

function tool(server: McpServer, name: string): Tool {
  const found = server.tools().find((one) => one.name === `mcp__files_${name}`)
  if (found === undefined) throw new Error(`no tool ${name}: ${server.state} ${server.error}`)
  return found
}

async function call(
  server: McpServer,
  name: string,
  input: object = {},
  given: Partial<ToolContext> = {},
): Promise<{ output: unknown; modelText?: string }> {
  const state = createAgentState({ workspace: folder, outputFolder: path.join(folder, 'output') })
  return unwrapResult(await tool(server, name).execute(input, testToolContext({ state, ...given })))
}

describe('a server that behaves', () => {
  test('has tools with its prefix and their schema, which always ask', async () => {
    const server = await started('good')
    expect(server).toMatchObject({
      state: 'ready',
      error: undefined,
      title: 'A test server',
      instructions: 'Use it well.',
    })
    const echo = tool(server, 'echo')
    expect(echo).toMatchObject({ group: 'mcp:files', needsApproval: true, readOnly: false })
    expect(buildTools([echo])[0]).toMatchObject({
      name: 'mcp__files_echo',
      description: 'Says it again.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    })
    expect(await call(server, 'echo', { text: 'hello' })).toEqual({ output: 'hello', modelText: 'hello' })
    expect(await echo.validate?.({}, testToolContext())).toBe('The input is missing "text". Send the whole call again.')
    await until(() => server.prompts.length > 0 && server.resources.length > 0)
    expect(server.prompts.map(({ name }) => name)).toEqual(['greet', 'Code Review', 'code/review', 'broken'])
    expect(server.resources.map(({ uri }) => uri)).toEqual(['memo://1'])
  })

  test('is asked for its prompts again when they change', async () => {
    const server = await started('good')
    await server.complete()
    expect(server.prompts).toHaveLength(4)
    await call(server, 'swap-prompts')
    await until(() => server.prompts[0]?.name === 'other')
    expect(server.state).toBe('ready')
  })

  test('is believed about its read-only tools only when it is trusted, and asks all the same', async () => {
    expect(tool(await started('good'), 'look').readOnly).toBe(false)
    const trusted = tool(await started('good', { trustsHints: true }), 'look')
    expect(trusted).toMatchObject({ readOnly: true, needsApproval: true })
  })

  test('gets a clean environment plus its own variables', async () => {
    const server = await started('good', { env: { PATH: process.env['PATH'], SECRET_KEY: 'hush', HOME: '/nowhere' } })
    const seen = JSON.parse((await call(server, 'environment')).output as string) as Record<string, string>
    expect(seen).toMatchObject({ GIVEN: 'yes', HOME: '/nowhere' })
    expect(seen).not.toHaveProperty('SECRET_KEY')
  })

  test('fails with its own words', async () => {
    await expect(call(await started('good'), 'fail')).rejects.toThrow('It went wrong.')
  })

  test('gives images as blobs, and a lone one is shown', async () => {
    const server = await started('good')
    const kept: string[] = []
    const blobs: ToolContext['blobs'] = {
      put(bytes, mediaType) {
        kept.push(mediaType)
        return Promise.resolve({ sha256: 'a'.repeat(64), size: bytes.length, mediaType })
      },
      get: () => Promise.resolve(undefined),
    }
    expect((await call(server, 'image', {}, { blobs })).output).toMatchObject({
      kind: 'image',
      mediaType: 'image/png',
      blob: 'a'.repeat(64),
      width: 1,
      height: 1,
      files: [{ mediaType: 'image/png', size: 70 }],
    })
    const many = await call(server, 'many', {}, { blobs })
    expect(kept).toEqual(['image/png', 'image/png', 'audio/wav'])
    expect(many.output).not.toHaveProperty('kind')
    expect(many.modelText).toContain('[resource: memo://1]\na memo')
    expect(many.modelText).toContain('memo://2 second')
  })

  test('returns structured content as such, and as text to the model', async () => {
    expect(await call(await started('good'), 'structured')).toEqual({
      output: { structuredContent: { answer: 42 } },
      modelText: '{"answer":42}',
    })
  })

  test('has long results put into a file', async () => {
    const { output, modelText = '' } = await call(await started('good'), 'long')
    expect(modelText.length).toBeLessThan(40_000)
    expect(output).toBe(modelText)
    expect(modelText).toContain('All 200000 characters are in')
  })

  test('reports progress, which also keeps the call alive', async () => {
    const server = await started('good', { limits: { callMs: 300 } })
    const context = testToolContext()
    await tool(server, 'progress').execute({}, context)
    expect(context.emitted.map(({ data }) => (data as { delta: string }).delta)).toEqual([
      '1/3 step 1\n',
      '2/3 step 2\n',
      '3/3 step 3\n',
    ])
  })

  test('is notified when a call is stopped', async () => {
    const server = await started('good')
    const controller = new AbortController()
    const stopped = call(server, 'slow', {}, { signal: controller.signal })
    await delay(50)
    controller.abort(new Error('stopped by the person'))
    await expect(stopped).rejects.toThrow('stopped by the person')
    expect((await call(server, 'cancelled')).output).toContain('stopped')
  })

  test('asks the user during the call, field by field', async () => {
    const server = await started('good')
    const asked: unknown[] = []
    const said = await call(
      server,
      'ask',
      {},
      {
        ask(request) {
          asked.push(request)
          return Promise.resolve({ type: 'answers', answers: { 0: 'green', 1: '3', 2: 'No' } })
        },
      },
    )
    expect(JSON.parse(said.output as string)).toEqual({
      action: 'accept',
      content: { colour: 'green', count: 3, sure: false },
    })
    expect(asked).toMatchObject([{ kind: 'question', title: 'The MCP server "files" asks: Which one?' }])
    const refused = await call(server, 'ask', {}, { ask: () => Promise.resolve({ type: 'deny' }) })
    expect(JSON.parse(refused.output as string)).toEqual({ action: 'decline' })
  })

  test('gets only valid answers: invalid ones are asked again, then reported', async () => {
    const server = await started('good')
    let times = 0
    const said = await call(
      server,
      'ask',
      {},
      {
        ask() {
          times++
          return Promise.resolve({ type: 'answers', answers: { 0: 'purple' } })
        },
      },
    )
    expect(times).toBe(10)
    expect(said.output).toContain('do not fit the form')
  })

  test('uses the model only after an approval', async () => {
    const server = await started('good')
    const model = scriptedModel([[{ text: 'Hello!' }]])
    const chatModel = { id: 'scripted/one', model }
    const refused = await call(
      server,
      'sample',
      {},
      { chatModel, ask: () => Promise.resolve({ type: 'answers', answers: { 0: 'Refuse' } }) },
    )
    expect(refused.output).toContain('declined')
    expect(model.calls).toHaveLength(0)
    const lent = await call(
      server,
      'sample',
      {},
      { chatModel, ask: () => Promise.resolve({ type: 'answers', answers: { 0: 'Allow' } }) },
    )
    expect(JSON.parse(lent.output as string)).toMatchObject({
      content: { type: 'text', text: 'Hello!' },
      model: 'scripted/one',
    })
    expect(model.calls).toHaveLength(1)
  })

  test('adds its model usage to the run', async () => {
    const server = await started('good')
    const model = scriptedModel([[{ text: 'Hello!' }]])
    const spent: Usage[] = []
    await call(
      server,
      'sample',
      {},
      {
        chatModel: { id: 'scripted/one', model },
        ask: () => Promise.resolve({ type: 'answers', answers: { 0: 'Allow' } }),
        spend: (usage) => void spent.push(usage),
      },
    )
    expect(spent).toHaveLength(1)
    expect(spent[0]?.totalTokens).toBeGreaterThan(0)
  })

  test('cannot open a URL: the user sees it, and the server gets the user’s answer', async () => {
    const server = await started('good')
    const asked: { title: string; content?: unknown }[] = []
    const answering = (answer: Answer): Partial<ToolContext> => ({
      ask(request) {
        asked.push(request)
        return Promise.resolve(answer)
      },
    })
    const agreed = answering({ type: 'answers', answers: { 0: 'I will open it' } })
    const said = await call(server, 'visit', { text: 'https://login.example/x?y=1' }, agreed)
    expect(JSON.parse(said.output as string)).toEqual({ action: 'accept' })
    expect(asked[0]?.title).toBe('The MCP server "files" wants you to open a URL on login.example')
    expect(asked[0]?.content).toMatchObject({ link: 'https://login.example/x?y=1' })
    expect(JSON.stringify(asked[0]?.content)).toContain('The link goes to login.example')
    const refused = await call(server, 'visit', { text: 'https://login.example/' }, answering({ type: 'deny' }))
    expect(JSON.parse(refused.output as string)).toEqual({ action: 'decline' })
    const before = asked.length
    for (const bad of [
      'http://login.example/',
      'javascript:alert(1)',
      'https://me:secret@login.example/',
      'file:///etc',
    ])
      expect((await call(server, 'visit', { text: bad }, agreed)).output).toContain('"code"')
    expect(asked).toHaveLength(before)
    await expect(call(server, 'visit-first', {}, agreed)).rejects.toThrow('The user agreed')
    await expect(call(server, 'visit-first', {}, answering({ type: 'deny' }))).rejects.toThrow('The user declined')
  })

  test('gets errors for results that do not match its output schema', async () => {
    const server = await started('good')
    expect((await call(server, 'declared', { text: '{"answer":42}' })).output).toEqual({
      structuredContent: { answer: 42 },
    })
    await expect(call(server, 'declared', { text: '{"answer":"many"}' })).rejects.toThrow(
      'The tool ran, but its result does not match its declared output: .answer is string, not number. It returned: {"answer":"many"}',
    )
    await expect(call(server, 'declared')).rejects.toThrow('there is no structured content')
  })

  test('cannot ask while tool calls of two conversations run', async () => {
    const server = await started('good')
    const controller = new AbortController()
    const other = call(server, 'slow', {}, { session: { id: 'other' }, signal: controller.signal })
    const said = await call(server, 'ask', {}, { ask: () => Promise.reject(new Error('asked')) })
    expect(said.output).toContain('several chats')
    controller.abort(new Error('over'))
    await expect(other).rejects.toThrow('over')
  })
})

describe('trust in the tools', () => {
  test('covers the first list, and is required again when the list changes while connected', async () => {
    const server = await started('good')
    const before = server.trustedNow()
    expect(before).toBe(server.toolsFingerprint)
    const kept = tool(server, 'echo')
    await call(server, 'swap')
    await until(() => server.state === 'needs-trust')
    expect(server.tools()).toEqual([])
    expect(server.error).toContain('have changed since you trusted it')
    await expect(kept.execute({ text: 'x' }, testToolContext())).rejects.toThrow('have changed since you trusted it')
    server.acceptTools()
    expect(server.state).toBe('ready')
    expect(server.trustedNow()).not.toBe(before)
    expect(server.tools()).toHaveLength(1)
  })

  test('is required again if a restarted server has other tools', async () => {
    const file = path.join(folder, 'description')
    const first = await started('swaps-on-restart', { args: [file] })
    writeFileSync(file, 'second')
    const second = await started('swaps-on-restart', { args: [file], known: first.trustedNow() as string })
    expect(second.state).toBe('needs-trust')
    expect(second.tools()).toEqual([])
    expect(second.listed.map(({ description }) => description)).toEqual(['second'])
  })
})

describe('a hostile server does no harm', () => {
  const failing: [string, Partial<McpLimits>, string][] = [
    ['hang-at-start', { connectMs: 300 }, 'did not answer within 0.3 s of starting'],
    // On a busy machine a process takes longer to start than the time that is given to one that hangs.
    ['hang-at-list', { connectMs: 4000 }, 'did not answer with its list of tools within 4 s'],
    ['exit-at-start', {}, 'exited with code 7'],
    ['exit-with-words', {}, 'exited with code 1'],
    ['refuse', {}, 'reported: go away'],
    ['noise-flood', {}, 'printed more than 1000 lines to standard output that are not messages'],
    ['endless-line', {}, 'sent a message larger than 8192 KiB'],
    ['huge-schema', {}, 'sent a message larger than 8192 KiB'],
    ['deep-schema', {}, 'nested deeper than 200 levels'],
    ['endless-pages', {}, 'has an endless list of tools'],
    ['circle-pages', {}, 'repeats pages of its list of tools'],
    ['bad-tools', {}, 'reported: '],
    ['version-from-the-future', {}, 'reported: '],
  ]
  test.each(failing)('%s', async (behaviour, limits, message) => {
    const begun = performance.now()
    const { result: server, pauseMs } = await longestPause(() => started(behaviour, { limits, backoffMs: 60_000 }))
    expect(server.state).toBe('failed')
    expect(server.error).toContain(
      `The MCP server "files" ${message.startsWith('nested') ? 'sent a message that is ' : ''}${message}`,
    )
    expect(server.tools()).toEqual([])
    expect(server.retryAt).toBeGreaterThan(Date.now())
    expect(performance.now() - begun).toBeLessThan(8000)
    expect(pauseMs).toBeLessThan(1000)
  })

  test.each([
    ['message-flood', 'sent more than 5000 unexpected messages'],
    ['ping-flood', 'sent more than 5000 unexpected messages'],
    ['answer-flood', 'sent more than 5000 unexpected messages'],
  ])('%s', async (behaviour, message) => {
    const server = await started(behaviour, { backoffMs: 60_000 })
    const { pauseMs } = await longestPause(() => until(() => server.state === 'failed'))
    expect(server.error).toContain(message)
    expect(server.log().length).toBeLessThanOrEqual(64_000)
    expect(pauseMs).toBeLessThan(1000)
  })

  test('repeated list changes are throttled', async () => {
    const server = await started('list-changed-flood', { backoffMs: 60_000, limits: { unasked: 300 } })
    await until(() => server.state === 'failed')
    expect(server.error).toContain('sent more than 300 unexpected messages')
  })

  test('standard error without an end is read slowly and kept shortly', async () => {
    const server = await started('stderr-flood', { limits: { errorBytes: 200_000 } })
    await delay(300)
    expect((await call(server, 'echo', { text: 'still here' })).output).toBe('still here')
    expect(server.log().length).toBeLessThanOrEqual(64_000)
  })

  test('lines that are not messages are logged', async () => {
    const server = await started('not-json')
    expect(server.state).toBe('ready')
    expect(server.log()).toContain('Server is listening!\n<html>\n{"half":\n')
  })

  test('a schema that is too large disables only its tool', async () => {
    const server = await started('big-schema')
    expect(server.tools().map(({ name }) => name)).toEqual(['mcp__files_echo'])
    expect(server.problems).toEqual([expect.stringContaining('The tool "big" was skipped')])
  })

  test('only the first thousand tools are used', async () => {
    const server = await started('many-tools')
    expect(server.tools()).toHaveLength(1000)
    expect(server.problems).toEqual([
      '4000 tools were skipped: there are more than 1000, or their total size is too large.',
    ])
  })

  test('names become legal, and doubles are left out', async () => {
    const server = await started('bad-names')
    const names = server.tools().map(({ name }) => name)
    expect(names).toEqual([
      'mcp__files__bel____x_y',
      expect.stringMatching(/^mcp__files_a{43,}_[0-9a-f]{8}$/),
      'mcp__files_echo',
    ])
    expect(names.every((name) => name.length <= 64)).toBe(true)
    expect(server.problems).toEqual(['The tool "echo" was skipped: another tool has the same name.'])
  })

  test('names of the prototype are only names', async () => {
    const server = await started('proto-names')
    expect(server.tools().map(({ name }) => name)).toEqual(['mcp__files___proto__', 'mcp__files_constructor'])
    expect(({} as { type?: string }).type).toBeUndefined()
  })

  test('a call that hangs is given up', async () => {
    const server = await started('good', { limits: { callMs: 200 } })
    await expect(call(server, 'slow')).rejects.toThrow(
      'The MCP server "files" sent nothing for 0.2 s during a tool call.',
    )
    expect((await call(server, 'echo', { text: 'on' })).output).toBe('on')
  })

  test('a response with a wrong id is ignored', async () => {
    const server = await started('wrong-id', { limits: { callMs: 200 } })
    await expect(call(server, 'echo', { text: 'x' })).rejects.toThrow('sent nothing for 0.2 s')
  })

  test('a second response is ignored', async () => {
    const server = await started('double-answer')
    expect((await call(server, 'echo', { text: 'one' })).output).toBe('one')
    expect((await call(server, 'echo', { text: 'two' })).output).toBe('two')
  })

  test('a result without sense is an error', async () => {
    await expect(call(await started('bad-result'), 'echo', { text: 'x' })).rejects.toThrow(
      'The MCP server "files" reported: ',
    )
  })

  test('a server that reads nothing is ended before memory runs out', async () => {
    const server = await started('deaf', { backoffMs: 60_000, limits: { unreadBytes: 1 << 20, callMs: 5000 } })
    const big = 'x'.repeat(1 << 20)
    const calls = await Promise.allSettled([1, 2, 3, 4].map(() => call(server, 'echo', { text: big })))
    expect(calls.every(({ status }) => status === 'rejected')).toBe(true)
    await until(() => server.state === 'failed')
    expect(server.error).toContain('does not read its input')
  })

  test('a server that dies during a call is reported and reconnected', async () => {
    const server = await started('good', { backoffMs: 20 })
    await expect(call(server, 'die')).rejects.toThrow(
      'The MCP server "files" exited with code 3 during the call, so its outcome is unknown.',
    )
    await until(() => server.state === 'ready')
    expect((await call(server, 'echo', { text: 'back' })).output).toBe('back')
  })

  test('a server that exits at startup is retried with growing delays', async () => {
    const file = path.join(folder, 'times')
    const server = start('exits-now-and-then', { args: [file], backoffMs: 20 })
    await until(() => server.state === 'ready')
    expect(readFileSync(file, 'utf8')).toBe('3')
  })

  test('a missing program is named', async () => {
    const server = await started('good', { command: 'no-such-program-here', backoffMs: 60_000 })
    expect(server).toMatchObject({ state: 'failed' })
    expect(server.error).toContain('the program "no-such-program-here" is not on the PATH')
  })

  test.each(['leaves-a-child', 'ignores-the-end'])('%s: nothing is left behind', async (behaviour) => {
    const file = path.join(folder, 'pid')
    const server = await started(behaviour, { args: [file] })
    expect(existsSync(file)).toBe(true)
    const pid = Number(readFileSync(file, 'utf8'))
    expect(sendSignalTo(pid, 0)).toBe(true)
    await server.close()
    await until(() => !sendSignalTo(pid, 0))
  })
})
