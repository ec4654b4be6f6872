import { readEvents, type Chunk } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'
import { type Chat, readChat, userMessage } from '../testing/test-server.ts'
import { type Browser, type TestNode, type TestTeam, testTeam } from './testing/test-team.ts'

describe.skipIf(!hasPostgres)('a team on two nodes', () => {
  let first: TestTeam
  let second: TestNode
  let mia: Browser & { id: string }
  let sam: Browser & { id: string }
  beforeAll(async () => {
    first = await testTeam({
      databaseUrl: await createTestDatabase(),
      server: { listen: true, port: 0 },
      trustedProxies: ['127.0.0.1'],
    })
    second = await first.addNode()
    mia = await first.join('Mia', 'member')
    sam = await first.join('Sam', 'member')
    for (const node of [first, second])
      for (const [text, command] of Object.entries({ one: 'touch one.txt', two: 'mkdir -p two' }))
        node.script(text, [[{ call: { name: 'Bash', input: { command } } }], [{ text: 'Done.' }]])
  })
  afterAll(async () => {
    await second.close()
    await first.close()
  })

  const chat = async (browser: Browser, sessionId: string, text: string): Promise<Chat> =>
    readChat(await browser.request('/ai/chat', { body: { sessionId, message: userMessage(text) } }))
  const asks = async (browser: Browser, sessionId: string, text: string): Promise<boolean> =>
    (await chat(browser, sessionId, text)).types.includes('tool-approval-request')
  const openAsk = async (browser: Browser, sessionId: string): Promise<string> =>
    (await browser.json<{ asks: { id: string }[] }>(`/ai/asks?sessionId=${sessionId}`)).body.asks[0]!.id
  const rules = async (browser: Browser) =>
    (await browser.json<{ rules: { id: string; text: string; own?: true; layer: string }[] }>('/ai/rules')).body.rules

  it('keeps what a person remembers for that person, and what an admin sets for everyone, on every node', async () => {
    expect(await asks(mia, 'mia-1', 'one')).toBe(true)
    const answered = await mia.json(`/ai/asks/${await openAsk(mia, 'mia-1')}`, {
      body: { answer: { type: 'approve', remember: 'always' } },
    })
    expect(answered.status).toBe(200)
    const there = second.as(mia)
    await expect.poll(() => rules(there)).toMatchObject([{ text: 'Bash(touch *)', own: true, layer: 'user' }])
    expect(await rules(second.as(sam))).toEqual([])
    expect([await asks(there, 'mia-2', 'one'), await asks(second.as(sam), 'sam-1', 'one')]).toEqual([false, true])

    const rule = { text: 'Bash(mkdir *)', effect: 'allow', scope: 'project' }
    expect((await mia.json('/ai/rules', { body: rule })).status).toBe(403)
    expect((await second.as(first.owner).json('/ai/rules', { body: rule })).status).toBe(201)
    await expect.poll(async () => (await rules(sam)).map(({ text }) => text)).toEqual(['Bash(mkdir *)'])
    expect(await asks(sam, 'sam-2', 'two')).toBe(false)

    const [own] = (await rules(there)).filter((one) => one.own)
    const changed = await there.json<{ rule: { id: string; own: boolean } }>(`/ai/rules/${own!.id}`, {
      method: 'PATCH',
      body: { effect: 'ask', scope: 'project' },
    })
    expect(changed.body.rule).toMatchObject({ own: true, effect: 'ask', layer: 'project' })
    expect((await rules(second.as(sam))).filter((one) => one.own)).toEqual([])
    expect((await there.json(`/ai/rules/${changed.body.rule.id}`, { method: 'DELETE' })).status).toBe(200)
    await expect.poll(async () => (await rules(mia)).filter((one) => one.own)).toEqual([])
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
    await expect.poll(() => seen.toSorted()).toEqual(['session-comment', 'session-mode', 'session-presence'])
    await mia.json('/ai/sessions/talk/shares', { method: 'PUT', body: { personId: sam.id, right: null } })
    expect(await ended).toBe('cut')
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
