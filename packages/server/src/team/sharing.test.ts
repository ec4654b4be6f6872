import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readEvents } from '@troupe/protocol'
import { readChat, userMessage } from '../testing/test-server.ts'
import { type Browser, publicUrl, type TestTeam, testTeam } from './testing/test-team.ts'

let team: TestTeam
let mia: Browser & { id: string }
let sam: Browser & { id: string }
let vic: Browser & { id: string }
beforeAll(async () => {
  team = await testTeam({ server: { testApproval: undefined } })
  mia = await team.join('Mia', 'member')
  sam = await team.join('Sam', 'member')
  vic = await team.join('Vic', 'viewer')
  await readChat(await mia.request('/ai/chat', { body: { sessionId: 'chat', message: userMessage('hello', 'u1') } }))
})
afterAll(() => team.close())

const share = (person: { id: string }, right: string | null) =>
  mia.json('/ai/sessions/chat/shares', { method: 'PUT', body: { personId: person.id, right } })

describe('a chat', () => {
  it('is private until it is shared, and says who sees it', async () => {
    expect((await sam.json('/ai/sessions/chat')).status).toBe(404)
    await share(sam, 'comment')
    expect((await sam.json('/ai/sessions/chat/sharing')).body).toMatchObject({
      sharing: {
        owner: { name: 'Mia' },
        visibility: 'private',
        shares: [{ person: { name: 'Sam' }, right: 'comment' }],
        own: 'comment',
      },
    })
    expect(
      (await sam.json('/ai/sessions/chat/shares', { method: 'PUT', body: { personId: vic.id, right: 'read' } })).status,
    ).toBe(403)
    expect((await share({ id: 'nobody' }, 'read')).status).toBe(404)
  })
})

describe('a chat of several people', () => {
  it('says who wrote each message, also in exports', async () => {
    await readChat(await mia.request('/ai/chat', { body: { sessionId: 'talk', message: userMessage('hello', 'u1') } }))
    await mia.json('/ai/sessions/talk/shares', { method: 'PUT', body: { personId: sam.id, right: 'write' } })
    await readChat(
      await sam.request('/ai/chat', { body: { sessionId: 'talk', message: userMessage('me, too', 'u2') } }),
    )
    const { body } = await mia.json<{ messages: { role: string; metadata?: { author?: object } }[] }>(
      '/ai/sessions/talk/messages',
    )
    const authors = body.messages.flatMap(({ role, metadata }) => (role === 'user' ? [metadata?.author] : []))
    expect(authors).toEqual([
      { id: mia.id, name: 'Mia' },
      { id: sam.id, name: 'Sam' },
    ])
    const markdown = await (await mia.request('/ai/sessions/talk/export?format=md')).text()
    expect(markdown.match(/^## (Mia|Sam|You)/gm)).toEqual(['## Mia', '## Sam'])
  })

  it('is listed once: shared chats are not among the other chats of the folder', async () => {
    const ids = async (browser: Browser, path: string) =>
      (await browser.json<{ sessions: { id: string }[] }>(path)).body.sessions.map(({ id }) => id)
    expect(await ids(sam, '/ai/shared-sessions')).toEqual(['talk', 'chat'])
    expect(await ids(sam, '/ai/sessions?view=active')).toEqual(['talk', 'chat'])
    expect(await ids(sam, '/ai/sessions?view=active&shared=0')).toEqual([])
    expect(await ids(mia, '/ai/sessions?view=active&shared=0')).toEqual(['talk', 'chat'])
  })

  it('says how long each person may remember an approval', async () => {
    const scopes = async (browser: Browser) =>
      (await browser.json<{ sharing: { remember: string[] } }>('/ai/sessions/talk/sharing')).body.sharing.remember
    const grant = (right: string | null) =>
      team.owner.json(`/ai/workspaces/${team.workspace.id}/grants`, {
        method: 'PUT',
        body: { subject: { personId: mia.id }, right },
      })
    expect([await scopes(mia), await scopes(sam)]).toEqual([['session'], ['session']])
    expect((await grant('manage')).status).toBe(200)
    expect([await scopes(mia), await scopes(sam)]).toEqual([['session', 'project'], ['session']])
    await grant(null)
  })
})

describe('a share link', () => {
  it('shows the chat to anyone until it is revoked or expires', async () => {
    const { body } = await mia.json<{ url: string; link: { id: string } }>('/ai/sessions/chat/links', {
      body: { expiresInDays: 2 },
    })
    expect(body.url.startsWith(`${publicUrl}/#share=`)).toBe(true)
    const token = new URL(body.url).hash.slice('#share='.length)
    const reader = team.browser()
    expect((await reader.json('/ai/share', { body: { token } })).body).toMatchObject({
      sessionId: 'chat',
      title: 'hello',
    })
    const headers = { authorization: `Share ${token}` }
    const { body: page } = await reader.json<{ messages: object[] }>('/ai/sessions/chat/messages', { headers })
    expect(page.messages).toHaveLength(2)
    expect((await reader.json('/ai/sessions/chat/comments', { headers })).status).toBe(403)
    expect((await reader.json('/ai/sessions', { headers })).status).toBe(403)
    expect(JSON.stringify((await sam.json('/ai/sessions/chat/sharing')).body)).not.toContain(body.link.id)
    expect(JSON.stringify((await mia.json('/ai/sessions/chat/sharing')).body)).not.toContain(token)
    vi.useFakeTimers({ now: Date.now() + 3 * 24 * 60 * 60 * 1000, toFake: ['Date'] })
    expect((await reader.json('/ai/sessions/chat', { headers })).status).toBe(401)
    vi.useRealTimers()
    expect((await reader.json('/ai/sessions/chat', { headers })).status).toBe(200)
    await mia.json('/ai/sessions/chat', { method: 'PATCH', body: { trashed: true } })
    expect((await reader.json('/ai/sessions/chat', { headers })).status).toBe(401)
    await mia.json('/ai/sessions/chat', { method: 'PATCH', body: { trashed: false } })
    expect((await mia.json(`/ai/sessions/chat/links/${body.link.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await reader.json('/ai/sessions/chat', { headers })).status).toBe(401)
    expect((await reader.json('/ai/share', { body: { token } })).body.error.name).toBe('LinkInvalid')
  })
})

describe('comments', () => {
  const comment = (browser: Browser, body: object) =>
    browser.json<{ comment: { id: string } }>('/ai/sessions/chat/comments', {
      body: { messageId: 'u1', text: 'Look!', ...body },
    })

  it('mention people who can read the chat, and reach only them', async () => {
    await share(sam, 'comment')
    expect((await comment(sam, { mentions: [vic.id] })).status).toBe(404)
    await share(vic, 'read')
    expect((await comment(vic, {})).status).toBe(403)
    const made = await comment(sam, { text: 'Look, @Vic!', mentions: [vic.id, vic.id] })
    expect([made.status, made.body]).toMatchObject([
      201,
      { comment: { author: { name: 'Sam' }, mentions: [{ name: 'Vic' }] } },
    ])
    expect((await comment(sam, { messageId: 'none' })).status).toBe(404)
    const mentions = async () => (await vic.json<{ mentions: { seen: boolean }[] }>('/ai/mentions')).body.mentions
    expect(await mentions()).toMatchObject([{ seen: false, sessionTitle: 'hello', text: 'Look, @Vic!' }])
    await vic.json('/ai/mentions/seen', { method: 'POST' })
    expect(await mentions()).toMatchObject([{ seen: true }])
    await share(vic, null)
    expect(await mentions()).toEqual([])
    expect((await mia.json('/ai/sessions/chat/comments')).body).toMatchObject({ comments: [{ text: 'Look, @Vic!' }] })
  })

  it('are deleted by their author, or by those who manage the chat', async () => {
    const first = (await comment(mia, {})).body.comment.id
    const second = (await comment(sam, {})).body.comment.id
    const remove = async (browser: Browser, id: string) =>
      (await browser.json(`/ai/sessions/chat/comments/${id}`, { method: 'DELETE' })).status
    expect([await remove(sam, first), await remove(sam, second), await remove(mia, first)]).toEqual([404, 200, 200])
    const third = (await comment(sam, {})).body.comment.id
    expect(await remove(mia, third)).toBe(200)
  })

  it('are not for the model', async () => {
    await comment(mia, { text: 'the model must not read this' })
    await readChat(await mia.request('/ai/chat', { body: { sessionId: 'chat', message: userMessage('again', 'u2') } }))
    expect(JSON.stringify(team.model.calls.at(-1))).not.toContain('must not read this')
  })
})

describe('presence', () => {
  it('says who watches, in the answer and on the stream', async () => {
    team.script('wait', [[{ text: 'so' }, { gate: 'end' }, { text: ' long' }]])
    await share(sam, 'read')
    const response = await mia.request('/ai/chat', { body: { sessionId: 'chat', message: userMessage('wait', 'u3') } })
    await team.model.reached('end')
    const watch = async (browser: Browser, body = {}) =>
      (await browser.json<{ people: { name: string }[] }>('/ai/sessions/chat/presence', { body })).body.people.map(
        ({ name }) => name,
      )
    expect(await watch(mia)).toEqual(['Mia'])
    expect(await watch(sam)).toEqual(['Mia', 'Sam'])
    expect(await watch(sam, { left: true })).toEqual(['Mia'])
    expect((await vic.json('/ai/sessions/chat/presence', { body: {} })).status).toBe(404)
    team.model.open('end')
    const seen: string[] = []
    for await (const { chunk } of readEvents(response.body as ReadableStream<Uint8Array>)) {
      const { type, data } = chunk as { type: string; data?: { name?: string; data?: { people: { name: string }[] } } }
      if (type === 'data-ui-event' && data?.name === 'session-presence')
        seen.push(data.data!.people.map(({ name }) => name).join())
    }
    expect(seen).toEqual(['Mia', 'Mia,Sam', 'Mia'])
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] })
    expect(await watch(sam)).toEqual(['Sam'])
    vi.useRealTimers()
    // Pages say so all the time, and it changes nothing.
    const { body } = await team.owner.json<{ entries: object[] }>('/ai/audit?action=sessions.presence&outcome=ok')
    expect(body.entries).toEqual([])
  })
})
