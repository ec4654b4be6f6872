import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Chunk, readEvents, type TerminalEvent, type TerminalMessage } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'
import { type Chat, readChat, userMessage } from '../testing/test-server.ts'
import { type Browser, publicUrl, type TestNode, type TestTeam, testTeam } from './testing/test-team.ts'

/** Machines may be busy. */
const soon = { timeout: 20_000 }

describe.skipIf(!hasPostgres)('a team on two nodes', () => {
  let first: TestTeam
  let second: TestNode
  let mia: Browser & { id: string }
  let sam: Browser & { id: string }
  beforeAll(async () => {
    first = await testTeam({
      databaseUrl: await createTestDatabase(),
      server: { listen: true, port: 0, env: { PATH: process.env['PATH'], SHELL: '/bin/bash', HOME: '/nonexistent' } },
      trustedProxies: ['127.0.0.1'],
    })
    second = await first.addNode({ node: { parkMinutes: 0.002 } })
    mia = await first.join('Mia', 'member')
    sam = await first.join('Sam', 'member')
    for (const node of [first, second])
      for (const [text, command] of Object.entries({ one: 'touch one.txt', two: 'mkdir -p two' }))
        node.script(text, [[{ call: { name: 'Bash', input: { command } } }], [{ text: 'Done.' }]])
  }, 90_000)
  afterAll(async () => {
    await second.close()
    await first.close()
  })

  const chat = async (browser: Browser, sessionId: string, text: string): Promise<Chat> =>
    readChat(await browser.request('/ai/chat', { body: { sessionId, message: userMessage(text) } }))
  const asks = async (browser: Browser, sessionId: string, text: string): Promise<boolean> =>
    (await chat(browser, sessionId, text)).types.includes('tool-approval-request')
  const openAsks = async (sessionId: string) =>
    (await mia.json<{ asks: { id: string; kind: string }[] }>(`/ai/asks?sessionId=${sessionId}`)).body.asks
  const openAsk = async (browser: Browser, sessionId: string): Promise<string> =>
    (await browser.json<{ asks: { id: string }[] }>(`/ai/asks?sessionId=${sessionId}`)).body.asks[0]!.id
  const approveAll = async (sessionId: string): Promise<void> => {
    for (const { id, kind } of await openAsks(sessionId))
      if (kind === 'approval') await mia.json(`/ai/asks/${id}`, { body: { answer: { type: 'approve' } } })
  }
  const rules = async (browser: Browser) =>
    (await browser.json<{ rules: { id: string; text: string; own?: true; layer: string }[] }>('/ai/rules')).body.rules

  it('keeps what a person remembers for that person, and what an admin sets for everyone, on every node', async () => {
    expect(await asks(mia, 'mia-1', 'one')).toBe(true)
    const answered = await mia.json(`/ai/asks/${await openAsk(mia, 'mia-1')}`, {
      body: { answer: { type: 'approve', remember: 'always' } },
    })
    expect(answered.status).toBe(200)
    const there = second.as(mia)
    await expect.poll(() => rules(there), soon).toMatchObject([{ text: 'Bash(touch *)', own: true, layer: 'user' }])
    expect(await rules(second.as(sam))).toEqual([])
    expect([await asks(there, 'mia-2', 'one'), await asks(second.as(sam), 'sam-1', 'one')]).toEqual([false, true])

    const rule = { text: 'Bash(mkdir *)', effect: 'allow', scope: 'project' }
    expect((await mia.json('/ai/rules', { body: rule })).status).toBe(403)
    expect((await second.as(first.owner).json('/ai/rules', { body: rule })).status).toBe(201)
    await expect.poll(async () => (await rules(sam)).map(({ text }) => text), soon).toEqual(['Bash(mkdir *)'])
    expect(await asks(sam, 'sam-2', 'two')).toBe(false)

    const [own] = (await rules(there)).filter((one) => one.own)
    const changed = await there.json<{ rule: { id: string; own: boolean } }>(`/ai/rules/${own!.id}`, {
      method: 'PATCH',
      body: { effect: 'ask', scope: 'project' },
    })
    expect(changed.body.rule).toMatchObject({ own: true, effect: 'ask', layer: 'project' })
    expect((await rules(second.as(sam))).filter((one) => one.own)).toEqual([])
    expect((await there.json(`/ai/rules/${changed.body.rule.id}`, { method: 'DELETE' })).status).toBe(200)
    await expect.poll(async () => (await rules(mia)).filter((one) => one.own), soon).toEqual([])
  })

  it('shows comments, people and modes to streams of other nodes, and ends those that may no longer read', async () => {
    await chat(mia, 'talk', 'one')
    await mia.json('/ai/sessions/talk/shares', { method: 'PUT', body: { personId: sam.id, right: 'comment' } })
    const response = await second.as(sam).fetch('/ai/chat/talk/stream')
    const seen: string[] = []
    const ended = follow(response, (chunk) => {
      if (chunk.type === 'data-ui-event') seen.push((chunk.data as { name: string }).name)
    })
    const messageId = await firstMessage(mia, 'talk')
    await second.as(sam).json('/ai/sessions/talk/comments', { body: { messageId, text: 'Hello', mentions: [] } })
    await mia.json('/ai/sessions/talk/presence', { body: {} })
    await mia.json('/ai/sessions/talk', { method: 'PATCH', body: { mode: 'plan' } })
    await expect.poll(() => seen.toSorted(), soon).toEqual(['session-comment', 'session-mode', 'session-presence'])
    await mia.json('/ai/sessions/talk/shares', { method: 'PUT', body: { personId: sam.id, right: null } })
    expect(await ended).toBe('cut')
  })

  it('shows terminals and commands of a chat on every node', async () => {
    const started = await mia.json<{ terminal: { id: string } }>('/ai/terminals', { body: {} })
    expect(started.status).toBe(201)
    const { id } = started.body.terminal
    first.script('background', [
      [{ call: { name: 'Bash', input: { command: 'sleep 300', run_in_background: true } } }],
      [{ text: 'Started.' }],
    ])
    await chat(mia, 'background', 'background')
    const { done } = first.runs.get('background')!
    await approveAll('background')
    await done
    for (const node of [first, second]) {
      const browser = node === first ? mia : second.as(mia)
      const listed = await browser.json<{ terminals: { id: string }[] }>('/ai/terminals')
      expect(listed.body.terminals.map((one) => one.id)).toEqual([id])
      const { body } = await browser.json<{ ticket: string }>('/ai/terminals/ticket', { body: {} })
      const page = await openTerminals(node.port, body.ticket)
      await expect.poll(() => page.terminals(), soon).toEqual([id])
      page.send({ type: 'tasks', channel: 2, sessionId: 'background' })
      await expect.poll(() => page.tasks(), soon).toEqual(['sleep 300'])
      page.send({ type: 'watch', channel: 1, terminalId: id })
      page.send({ type: 'input', channel: 1, text: `echo $((6 * 7)) from ${node.port}\n` })
      await expect.poll(() => page.text(1), soon).toContain(`42 from ${node.port}`)
      page.close()
    }
    expect((await second.as(mia).json(`/ai/terminals/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await mia.json<{ terminals: unknown[] }>('/ai/terminals')).body.terminals).toEqual([])
  })

  it('asks a page that the balancer sends to another node', async () => {
    const page = { clientId: 'c1', tabId: 't1', actions: ['open-url'], sessionId: null }
    const there = second.as(mia)
    const beat = async () =>
      (await there.json<{ calls: { sessionId: string; toolCallId: string }[] }>('/ai/tabs', { body: page })).body.calls
    expect(await beat()).toEqual([])
    first.script('open', [[{ call: { name: 'OpenUrl', input: { url: 'https://example.com' } } }], [{ text: 'Done.' }]])
    await mia.request('/ai/chat', {
      body: { sessionId: 'page', message: userMessage('open'), clientId: 'c1', tabId: 't1' },
    })
    await approveAll('page')
    await expect.poll(beat, soon).toMatchObject([{ sessionId: 'page' }])
    const { done } = first.runs.get('page')!
    const [{ toolCallId } = { toolCallId: '' }] = await beat()
    const output = { url: 'https://example.com/', viewKey: 'browser:https://example.com/', loaded: true }
    const ack = { sessionId: 'page', clientId: 'c1', toolCallId, status: 'success', output }
    expect((await there.json('/ai/tools/ack', { body: ack })).body).toEqual({ result: 'resolved' })
    expect(JSON.stringify((await done).parts)).toContain('"loaded":true')
  })

  it('keeps a chat that waits for a person in no memory, and continues it on any node when it is answered', async () => {
    const file = path.join(first.workspace.path, 'parked.txt')
    for (const node of [first, second])
      node.script('park', [
        [{ call: { name: 'Bash', input: { command: 'echo once >> parked.txt' } } }],
        [{ text: 'Done.' }],
      ])
    const waits = second.runs
    await second.as(mia).request('/ai/chat?hold=1', { body: { sessionId: 'parked', message: userMessage('park') } })
    await expect.poll(async () => (await openAsks('parked')).length, soon).toBe(1)
    await expect.poll(() => waits.all('parked'), soon).toEqual([])
    expect((await first.store.runs.ofSession('parked')).map(({ status }) => status)).toEqual(['waiting'])
    const chunks: string[] = []
    const ended = follow(await mia.fetch('/ai/chat/parked/stream'), ({ type }) => void chunks.push(type))
    // Somebody who only watches does not bring it back.
    expect((await mia.json('/ai/sessions/parked/presence', { body: {} })).status).toBe(200)
    expect(first.runs.all('parked')).toEqual([])
    const [ask] = await openAsks('parked')
    expect((await mia.json(`/ai/asks/${ask!.id}`, { body: { answer: { type: 'approve' } } })).status).toBe(200)
    expect(await ended).toBe('ended')
    expect(chunks.filter((type) => type === 'tool-output-available' || type === 'finish')).toEqual([
      'tool-output-available',
      'finish',
    ])
    expect(readFileSync(file, 'utf8')).toBe('once\n')
  })

  it('stops the answers of a removed member on every node', async () => {
    const there = second.as(sam)
    await chat(there, 'waits', 'one')
    expect((await first.owner.json(`/ai/members/${sam.id}`, { method: 'DELETE' })).status).toBe(200)
    await expect
      .poll(async () => (await first.store.runs.ofSession('waits')).map(({ status }) => status))
      .toEqual(['aborted'])
  })
})

interface TerminalPage {
  send(message: TerminalMessage): void
  terminals(): string[] | undefined
  text(channel: number): string
  /** Commands of the last list. */
  tasks(): string[] | undefined
  close(): void
}

async function openTerminals(port: number, ticket: string): Promise<TerminalPage> {
  const origin = publicUrl
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ai/terminals/socket`, ['troupe.terminals', ticket], { origin })
  const events: TerminalEvent[] = []
  socket.on('message', (data) => void events.push(JSON.parse(String(data as Buffer)) as TerminalEvent))
  await once(socket, 'open')
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    terminals: () => events.findLast((event) => event.type === 'terminals')?.terminals.map(({ id }) => id),
    text: (channel) =>
      events.map((event) => (event.type === 'output' && event.channel === channel ? event.text : '')).join(''),
    tasks: () => events.findLast((event) => event.type === 'tasks')?.tasks.map(({ command }) => command),
    close: () => socket.terminate(),
  }
}

async function follow(response: Response, onChunk: (chunk: Chunk) => void): Promise<'ended' | 'cut'> {
  try {
    for await (const { chunk } of readEvents(response.body as ReadableStream<Uint8Array>)) onChunk(chunk)
    return 'ended'
  } catch {
    return 'cut'
  }
}

async function firstMessage(browser: Browser, sessionId: string): Promise<string> {
  const { body } = await browser.json<{ messages: { id: string }[] }>(`/ai/sessions/${sessionId}/messages`)
  return body.messages[0]!.id
}
