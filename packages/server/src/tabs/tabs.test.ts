import type { PageCall } from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer({ config: { permissions: { allow: ['WebFetch(domain:example.com)'] } } })
})
afterAll(() => server.close())

const all = ['open-url', 'show-panel', 'notify', 'read-clipboard', 'pick-file']
interface Heard {
  calls: PageCall[]
  others: number
}
const beat = async (clientId: string, tabId: string, more: object = {}): Promise<Heard> =>
  (await server.json<Heard>('/ai/tabs', { body: { clientId, tabId, actions: all, ...more } })).body
const leaveAll = async (...tabs: [string, string][]): Promise<void> => {
  for (const [clientId] of tabs) {
    // Makes `last` the browser's only live tab, then removes it.
    await beat(clientId, 'last', { alive: [] })
    await beat(clientId, 'last', { actions: [] })
  }
}
const ack = (body: object): Promise<{ status: number; body: { result?: string; error?: { name: string } } }> =>
  server.json('/ai/tools/ack', { body: { status: 'success', ...body } })
const page = { url: 'https://example.com/', viewKey: 'browser:https://example.com/', loaded: true }

let sessions = 0
async function opening(ids: { clientId?: string; tabId?: string }) {
  const sessionId = `tabs${++sessions}`
  const toolCallId = `call-${sessionId}`
  server.script(sessionId, [
    [{ call: { name: 'OpenUrl', input: { url: 'example.com' }, id: toolCallId } }],
    [{ text: 'There it is.' }],
  ])
  const chat = await server.chat(sessionId, sessionId, ids)
  return { sessionId, toolCallId, chat, done: server.runs.get(sessionId)?.done }
}
const result = async (sessionId: string): Promise<object | undefined> =>
  (await server.messages(sessionId)).at(-1)?.parts.find((part) => part.type === 'tool-OpenUrl')
const shownTo = (sessionId: string): string[] => {
  const last = server.model.calls.findLast(({ prompt }) => JSON.stringify(prompt).includes(`"${sessionId}"`))
  return (last?.tools ?? []).map(({ name }) => name)
}

it('without an open page, the model does not get page tools, and a call fails at once', async () => {
  const { sessionId, chat } = await opening({ clientId: 'a', tabId: '1' })
  expect(chat.types.at(-1)).toBe('finish')
  expect(await result(sessionId)).toMatchObject({
    state: 'output-error',
    errorText: expect.stringMatching('No open page'),
  })
  expect(shownTo(sessionId)).not.toContain('OpenUrl')
  expect(shownTo(sessionId)).toContain('WebFetch')
})

it('the tab that started the run gets the call, and its report reaches the model, once', async () => {
  await beat('a', '1')
  await beat('a', '2')
  const { sessionId, toolCallId, done } = await opening({ clientId: 'a', tabId: '1' })
  expect(shownTo(sessionId)).toContain('ToolSearch')
  expect(await beat('a', '2')).toEqual({ calls: [], others: 1 })
  const { calls } = await beat('a', '1')
  expect(calls).toMatchObject([
    { sessionId, toolCallId, action: 'open-url', input: { url: page.url }, byPerson: false },
  ])
  const body = { sessionId, toolCallId, clientId: 'a', output: page }
  expect(await ack(body)).toMatchObject({ status: 200, body: { result: 'resolved' } })
  await done
  expect(await ack(body)).toMatchObject({ status: 409, body: { error: { name: 'AskClosed' } } })
  expect(await result(sessionId)).toMatchObject({ state: 'output-available', output: page })
  expect(await beat('a', '1')).toEqual({ calls: [], others: 0 })
})

it('a model gets a page’s notes on an action while the page is open', async () => {
  const told = async (sessionId: string) => {
    server.script(sessionId, [[{ text: 'Yes.' }]])
    await server.chat(sessionId, sessionId, { clientId: 'n', tabId: '1' })
    const last = server.model.calls.findLast(({ prompt }) => JSON.stringify(prompt).includes(`"${sessionId}"`))
    return JSON.stringify(last?.tools?.find(({ name }) => name === 'ShowPanel'))
  }
  await beat('n', '1', { notes: { 'show-panel': ['orders: what was ordered; data: {customer}'] } })
  await beat('n', '2', { notes: { 'show-panel': ['orders: what was ordered; data: {customer}'] } })
  expect((await told('noted')).match(/orders: what was ordered/g)).toHaveLength(1)
  await leaveAll(['n', '1'])
  await beat('a', '1')
  expect(await told('unnoted')).not.toContain('orders')
})

it('a run without an open page has no page tools', async () => {
  await beat('a', '1')
  server.script('alone', [[{ text: 'Nobody is here.' }]])
  await server.chat('alone', 'alone', { headless: true })
  expect(shownTo('alone')).toContain('WebFetch')
  expect(shownTo('alone')).not.toContain('OpenUrl')
})

it('another tab takes over when the first one dies, even in another browser', async () => {
  await beat('a', '1')
  await beat('a', '2')
  await beat('b', '3')
  const { sessionId, toolCallId, done } = await opening({ clientId: 'a', tabId: '1' })
  expect((await beat('a', '2')).calls).toEqual([])
  expect((await beat('a', '2', { alive: ['2'] })).calls).toHaveLength(1)
  // Tab 2 was asked, so another browser may not answer.
  expect((await beat('b', '3')).calls).toEqual([])
  expect(await ack({ sessionId, toolCallId, clientId: 'b', output: page })).toMatchObject({ status: 403 })
  await beat('a', '2', { actions: [] })
  expect((await beat('b', '3')).calls).toHaveLength(1)
  expect(await ack({ sessionId, toolCallId, clientId: 'b', output: page })).toMatchObject({ status: 200 })
  await done
  expect(await result(sessionId)).toMatchObject({ output: page })
  await leaveAll(['a', '2'], ['b', '3'])
})

it('requests for a person can be answered in any browser, after they are asked', async () => {
  await beat('a', '1')
  await beat('b', '3')
  const clipboard = async (sessionId: string) => {
    server.script(sessionId, [
      [{ gate: sessionId }, { call: { name: 'ReadClipboard', input: {}, id: `call-${sessionId}` } }],
      [{ text: 'Thanks.' }],
    ])
    const chat = server.chat(sessionId, sessionId, { clientId: 'a', tabId: '1' })
    const body = { sessionId, toolCallId: `call-${sessionId}`, clientId: 'b' }
    await expect.poll(() => server.runs.get(sessionId)).toBeDefined()
    // Nobody may answer early on behalf of the page that started the run.
    expect(await ack({ ...body, output: { text: 'forged' } })).toMatchObject({ status: 403 })
    server.model.open(sessionId)
    await chat
    return { body, done: server.runs.get(sessionId)?.done }
  }
  const shared = await clipboard('shared')
  expect(await ack({ ...shared.body, output: { text: 'roses' } })).toMatchObject({ body: { result: 'resolved' } })
  await shared.done
  expect((await server.messages('shared')).at(-1)?.parts).toContainEqual(
    expect.objectContaining({ state: 'output-available', output: { text: 'roses', characters: 5 } }),
  )
  expect(await ack({ ...shared.body, clientId: 'a' })).toMatchObject({ status: 409 })
  const declined = await clipboard('declined')
  expect(await ack({ ...declined.body, status: 'failed', errorText: 'No.' })).toMatchObject({ status: 200 })
  await declined.done
  expect((await server.messages('declined')).at(-1)?.parts).toContainEqual(
    expect.objectContaining({ errorText: 'No.' }),
  )
  await leaveAll(['a', '1'], ['b', '3'])
})

it('a page’s failure is an error of the call, and invalid reports are rejected', async () => {
  await beat('a', '1')
  const failed = await opening({ clientId: 'a', tabId: '1' })
  await ack({ ...failed, chat: undefined, done: undefined, clientId: 'a', status: 'failed', errorText: 'Blocked.' })
  await failed.done
  expect(await result(failed.sessionId)).toMatchObject({ state: 'output-error', errorText: 'Blocked.' })
  const lying = await opening({ clientId: 'a', tabId: '1' })
  await ack({ sessionId: lying.sessionId, toolCallId: lying.toolCallId, clientId: 'a', output: { url: 3 } })
  await lying.done
  expect(await result(lying.sessionId)).toMatchObject({ errorText: expect.stringMatching('invalid answer') })
})

it('a call that gets no answer in time fails with that reason', async () => {
  await beat('a', '1')
  server.script('slow', [
    [{ call: { name: 'OpenUrl', input: { url: 'example.com', timeoutSec: 0.05 }, id: 'slow-call' } }],
    [{ text: 'Then not.' }],
  ])
  await server.chat('slow', 'slow', { clientId: 'a', tabId: '1' })
  await server.runs.get('slow')?.done
  expect(await result('slow')).toMatchObject({ errorText: expect.stringMatching('within 0.05 s') })
  expect(await ack({ sessionId: 'slow', toolCallId: 'slow-call', clientId: 'a' })).toMatchObject({ status: 409 })
})

it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'https://me:secret@example.com/'])(
  '%s never reaches a page',
  async (url) => {
    await beat('a', '1')
    const sessionId = `bad${++sessions}`
    server.script(sessionId, [[{ call: { name: 'OpenUrl', input: { url }, id: sessionId } }], [{ text: 'No.' }]])
    const chat = await server.chat(sessionId, sessionId, { clientId: 'a', tabId: '1' })
    expect(chat.types.at(-1)).toBe('finish')
    expect(await result(sessionId)).toMatchObject({ state: 'output-error' })
  },
)

it('a page of another shape is refused', async () => {
  for (const bad of [
    {},
    { clientId: 'a' },
    { clientId: '../a', tabId: '1', actions: [] },
    { clientId: 'a', tabId: '1', actions: [1] },
    { clientId: 'a', tabId: '1', actions: [], notes: { x: ['y'.repeat(501)] } },
  ])
    expect((await server.json('/ai/tabs', { body: bad })).status).toBe(400)
})
