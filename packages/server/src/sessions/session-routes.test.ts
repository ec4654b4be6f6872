import type { Session } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

const count = `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  description: 'Counts.', input: z.object({}), readOnly: true, group: 'test',
  execute: (_, ctx) => (ctx.state.count = (ctx.state.count ?? 0) + 1),
})`

let server: TestServer
beforeAll(async () => {
  server = await testServer({ tools: { count } })
})
afterAll(() => server.close())

type Listed = Session & { run: { id: string } | null }
interface List {
  sessions: Listed[]
  nextCursor: string | null
  hits: { sessionId: string; messageId: string; snippet: string }[]
}
const list = async (query = ''): Promise<List> => (await server.json<List>(`/ai/sessions${query}`)).body

describe('/ai/sessions', () => {
  it('creates, shows, changes and deletes', async () => {
    const created = await server.json<{ session: Listed }>('/ai/sessions', {
      body: { id: 'one', title: 'Mine', model: 'demo/tour' },
    })
    expect(created).toMatchObject({
      status: 201,
      body: { session: { id: 'one', title: 'Mine', model: 'demo/tour', messageCount: 0, run: null } },
    })
    expect(await server.json('/ai/sessions', { body: { id: 'one' } })).toMatchObject({
      status: 409,
      body: { error: { name: 'SessionExists' } },
    })
    expect((await server.json<{ session: Listed }>('/ai/sessions', { body: {} })).body.session.id).toMatch(/^ses_/)
    const patched = await server.json('/ai/sessions/one', {
      method: 'PATCH',
      body: { title: 'Other', pinned: true, archived: true, model: null },
    })
    expect(patched.body).toMatchObject({
      session: { title: 'Other', pinned: true, archived: true, model: null, renamed: true },
    })
    expect((await server.json('/ai/sessions/one')).body).toMatchObject({ session: { title: 'Other' } })
    expect(await server.json('/ai/sessions/one', { method: 'DELETE' })).toMatchObject({
      status: 200,
      body: { deleted: 'one' },
    })
    expect((await server.json('/ai/sessions/one')).status).toBe(404)
  })

  it('deletes a session’s agent memory with the session', async () => {
    server.script('count', [[{ call: { name: 'Count', input: {} } }], [{ text: 'counted' }]])
    const counted = async () =>
      (await server.chat('counting', 'count')).message.parts.find((part) => part.type === 'tool-Count')
    expect([await counted(), await counted()]).toMatchObject([{ output: 1 }, { output: 2 }])
    await server.json('/ai/sessions/counting', { method: 'DELETE' })
    expect(await counted()).toMatchObject({ output: 1 })
  })

  it('lists by pages, newest first, and finds words with their message', async () => {
    for (let i = 0; i < 5; i++) await server.chat(`list${i}`, `about ${i === 3 ? 'zebras' : 'horses'} number ${i}`)
    const first = await list('?limit=3')
    expect(first.sessions.map(({ id }) => id)).toEqual(['list4', 'list3', 'list2'])
    const second = await list(`?limit=3&cursor=${encodeURIComponent(first.nextCursor!)}`)
    expect(second.sessions.map(({ id }) => id).slice(0, 2)).toEqual(['list1', 'list0'])
    const found = await list('?q=zebras')
    expect(found.sessions.map(({ id }) => id)).toEqual(['list3'])
    expect(found.hits.map(({ sessionId }) => sessionId)).toEqual(['list3', 'list3'])
    expect(found.hits[0]?.snippet).toContain('\ue000zebras\ue001')
    expect((await server.json('/ai/sessions?cursor=nonsense')).status).toBeLessThan(500)
  })

  it('shows the run that is under way', async () => {
    server.script('hold', [[{ text: 'a' }, { gate: 'hold' }]])
    const running = server.chat('running', userMessage('hold', 'h1'))
    await server.model.reached('hold')
    const run = server.runs.get('running')!
    const shown = { id: run.id, status: 'running', messageId: run.messageId, userMessageId: 'h1' }
    expect((await server.json('/ai/sessions/running')).body).toMatchObject({ session: { run: shown } })
    expect((await list()).sessions.find(({ id }) => id === 'running')?.run).toEqual(shown)
    server.model.open('hold')
    await running
    expect((await server.json('/ai/sessions/running')).body).toMatchObject({ session: { run: null } })
  })

  it('the title follows the first message until a person renames it', async () => {
    const { events } = await server.chat('titled', 'Plan the garden')
    expect(events.find(({ chunk }) => chunk.type === 'data-session-title')?.chunk).toMatchObject({
      data: { title: 'Plan the garden' },
      transient: true,
    })
    await server.json('/ai/sessions/titled', { method: 'PATCH', body: { title: 'Garden' } })
    await server.chat('titled', 'And the house')
    expect((await server.json('/ai/sessions/titled')).body).toMatchObject({ session: { title: 'Garden' } })
  })
})

describe('/ai/sessions/:id/messages', () => {
  interface Page {
    leafMessageId: string | null
    messages: StoredMessage[]
    siblings: Record<string, { index: number; total: number; prev: string | null; next: string | null }>
    page: { hasMore: boolean; before: string | null }
  }
  const page = async (query = ''): Promise<Page> => (await server.json<Page>(`/ai/sessions/tree/messages${query}`)).body

  it('pages one branch from its tail', async () => {
    for (let i = 0; i < 4; i++) await server.chat('tree', userMessage(`turn ${i}`, `t${i}`))
    const whole = await page()
    expect(whole.messages).toHaveLength(8)
    expect(whole.page).toEqual({ hasMore: false, before: null })
    const tail = await page('?limit=3')
    expect(tail.messages).toEqual(whole.messages.slice(5))
    const before = await page(`?limit=3&before=${tail.page.before}`)
    expect(before.messages).toEqual(whole.messages.slice(2, 5))
    expect(before.page.hasMore).toBe(true)
  })

  it('shows the newest branch, or the newest through any message that is named', async () => {
    await server.chat('tree', userMessage('turn 1, edited', 't1'))
    const newest = await page()
    expect(newest.messages.map(({ id }) => id).slice(0, 2)).toEqual(
      (await page('?leaf=t0')).messages.map(({ id }) => id).slice(0, 2),
    )
    expect(newest.messages).toHaveLength(4)
    const old = await page('?leaf=t1')
    expect(old.messages).toHaveLength(8)
    expect(old.siblings['t1']).toEqual({ index: 1, total: 2, prev: null, next: newest.messages[2]!.id })
    expect((await page(`?leaf=${newest.messages[2]!.id}`)).leafMessageId).toBe(newest.leafMessageId)
  })

  it('deletes a message with everything below it', async () => {
    const { body } = await server.json<{ deleted: string[] }>('/ai/sessions/tree/messages/t2', { method: 'DELETE' })
    expect(body.deleted).toHaveLength(4)
    expect((await page('?leaf=t1')).messages).toHaveLength(4)
    expect(await server.json('/ai/sessions/tree/messages/t2', { method: 'DELETE' })).toMatchObject({
      status: 404,
      body: { error: { name: 'MessageNotFound' } },
    })
  })

  it('of an empty session are empty', async () => {
    await server.json('/ai/sessions', { body: { id: 'empty' } })
    expect((await server.json('/ai/sessions/empty/messages')).body).toEqual({
      leafMessageId: null,
      messages: [],
      siblings: {},
      page: { hasMore: false, before: null },
    })
  })
})

describe('the other lists', () => {
  it('models, tools, health and the inside of a session', async () => {
    const models = await server.json<{ models: { ref: string }[]; defaultModel: string }>('/ai/models')
    expect(models.body.defaultModel).toBe('test/script')
    expect(models.body.models.map(({ ref }) => ref)).toEqual(expect.arrayContaining(['test/script', 'demo/tour']))
    const tools = await server.json<{ tools: { name: string; status: string }[]; problems: [] }>('/ai/tools')
    expect(tools.body.tools).toContainEqual(
      expect.objectContaining({ name: 'TimeNow', status: 'enable', readOnly: true }),
    )
    expect((await server.json('/health')).body).toMatchObject({ ok: true })
    await server.chat('inside', userMessage('look inside', 'l1'))
    const { body } = await server.json<{
      chain: object[]
      projection: { role: string }[]
      runs: { frames: object[] }[]
    }>('/ai/debug/inside')
    expect(body.chain).toHaveLength(2)
    expect(body.projection.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(body.runs[0]?.frames.length).toBeGreaterThan(0)
  })
})
