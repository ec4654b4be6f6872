import type { Session, TreeMessage } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const ids = async (sessionId: string) => (await server.messages(sessionId)).map(({ id }) => id)
const removed = async (path: string, init: { method?: string; body?: unknown }) =>
  (await server.json<{ deleted: string[]; removalId: string }>(path, init)).body

describe('the messages of a session', () => {
  it('are returned as a summary tree, and searched as a whole', async () => {
    await server.chat('tree', userMessage('about zebras', 't1'))
    await server.chat('tree', userMessage('about horses', 't2'))
    await server.chat('tree', userMessage('about zebras again', 't1'))
    const { messages } = (await server.json<{ messages: TreeMessage[] }>('/ai/sessions/tree/tree')).body
    expect(messages.map(({ role, text }) => [role, text])).toContainEqual(['user', 'about zebras again'])
    expect(messages).toHaveLength(6)
    expect(messages[1]).toMatchObject({ parentMessageId: 't1', model: 'test/script' })
    const leaf = messages[3]?.id
    const { body: found } = await server.json<{ matches: { messageId: string; isOnBranch: boolean }[] }>(
      `/ai/sessions/tree/matches?text=ZEBRAS&leaf=${leaf}`,
    )
    const { matches } = found
    expect(matches[0]).toMatchObject({ messageId: 't1', isOnBranch: true, role: 'user' })
    expect(matches.at(-1)).toMatchObject({ isOnBranch: false })
    expect((await server.json('/ai/sessions/tree/matches')).body).toEqual({ matches: [], isCut: false })
  })

  it('that were deleted are restored completely, once', async () => {
    for (const id of ['d1', 'd2']) await server.chat('delete', userMessage(id, id))
    const before = await server.messages('delete')
    const { deleted, removalId } = await removed('/ai/sessions/delete/messages/d2', { method: 'DELETE' })
    expect(deleted).toEqual(before.slice(2).map(({ id }) => id))
    expect(await server.messages('delete')).toEqual(before.slice(0, 2))
    const undo = `/ai/sessions/delete/removals/${removalId}/undo`
    expect((await server.json(undo, { method: 'POST' })).body).toEqual({ restored: deleted })
    expect(await server.messages('delete')).toEqual(before)
    expect(await server.json(undo, { method: 'POST' })).toMatchObject({
      status: 404,
      body: { error: { name: 'RemovalNotFound' } },
    })
  })

  it('can be forked into another session up to one of them, with its settings', async () => {
    for (const id of ['f1', 'f2']) await server.chat('fork', userMessage(id, id))
    await server.json('/ai/sessions/fork', { method: 'PATCH', body: { title: 'The old one', mode: 'plan' } })
    const before = await server.messages('fork')
    const answerId = before[1]?.id
    const { status, body } = await server.json<{ session: Session }>('/ai/sessions/fork/fork', {
      body: { messageId: answerId },
    })
    expect([status, body.session]).toMatchObject([201, { title: 'The old one', mode: 'plan' }])
    const { id } = body.session
    expect(await server.messages(id)).toEqual(before.slice(0, 2))
    await server.chat(id, userMessage('another way', 'f3'))
    expect(await ids(id)).toHaveLength(4)
    expect(await server.messages('fork')).toEqual(before)
    expect(await server.json('/ai/sessions/fork/fork', { body: { messageId: 'none' } })).toMatchObject({ status: 404 })
  })

  it('are reduced to one branch; a run in another is stopped first', async () => {
    server.script('hold', [[{ text: 'a' }, { gate: 'held' }]])
    await server.chat('keep', userMessage('one', 'k1'))
    const [, answer] = await server.messages('keep')
    await server.chat('keep', userMessage('two', 'k2'))
    const branch = await ids('keep')
    const running = server.chat('keep', userMessage('hold', 'k3'), { parentMessageId: answer?.id })
    await server.model.reached('held')
    const { deleted, removalId } = await removed('/ai/sessions/keep/keep', { body: { messageId: 'k2' } })
    expect((await running).message.metadata).toMatchObject({ aborted: true })
    expect(deleted).toHaveLength(2)
    expect(deleted[0]).toBe('k3')
    expect(await ids('keep')).toEqual(branch)
    await server.json(`/ai/sessions/keep/removals/${removalId}/undo`, { method: 'POST' })
    expect(await ids('keep')).toEqual([...branch.slice(0, 2), ...deleted])
    expect((await server.json('/ai/sessions/keep/keep', { body: { messageId: 'lost' } })).status).toBe(404)
  })

  it('are kept with the answer in progress below them, even if another branch is newer', async () => {
    await server.chat('kept', userMessage('one', 'q1'))
    const [, answer] = await server.messages('kept')
    await server.chat('kept', userMessage('slow', 'q2'))
    await server.chat('kept', userMessage('newer', 'q3'), { parentMessageId: answer?.id })
    server.script('slow', [[{ text: 'a' }, { gate: 'slow' }, { text: 'b' }]])
    const again = { sessionId: 'kept', trigger: 'regenerate-message', messageId: 'q2', responseMode: 'json' }
    const running = server.json<{ message: StoredMessage }>('/ai/chat', { body: again })
    await server.model.reached('slow')
    const { deleted } = await removed('/ai/sessions/kept/keep', { body: { messageId: answer?.id } })
    expect(deleted).toHaveLength(3)
    expect(deleted).toContain('q3')
    server.model.open('slow')
    const { message } = (await running).body
    expect(message.metadata?.aborted).toBeUndefined()
    expect(await ids('kept')).toEqual(['q1', answer?.id, 'q2', message.id])
  })
})

describe('an answer that was cut', () => {
  it('continues as an answer below it, and the model gets a note', async () => {
    server.script('long', [[{ text: 'one two' }, { finish: 'length' }]])
    await server.chat('cut', userMessage('long', 'c1'))
    const [, cut] = await server.messages('cut')
    expect(cut?.metadata?.finishReason).toBe('length')
    const go = (messageId: string | undefined) =>
      server.json<{ message: StoredMessage }>('/ai/chat', {
        body: { sessionId: 'cut', trigger: 'continue-message', messageId, responseMode: 'json' },
      })
    const { body } = await go(cut?.id)
    const metadata = { continues: cut?.id }
    expect(body.message).toMatchObject({ role: 'assistant', parentMessageId: cut?.id, metadata })
    expect(await ids('cut')).toEqual(['c1', cut?.id, body.message.id])
    // The model echoes its last input.
    expect(JSON.stringify(body.message.parts)).toMatch(/Continue from exactly this point/)
    expect((await go('lost')).status).toBe(404)
    expect((await go('c1')).status).toBe(400)
    expect((await go(undefined)).status).toBe(400)
  })
})
