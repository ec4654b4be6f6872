import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChat, userMessage } from '../testing/test-server.ts'
import { type Browser, password, publicUrl, type TestTeam, testTeam } from './testing/test-team.ts'

let team: TestTeam
let mia: Browser & { id: string }
beforeAll(async () => {
  team = await testTeam({ trustedProxies: ['127.0.0.1'], server: { listen: true, port: 0, testApproval: undefined } })
  mia = await team.join('Mia', 'member')
  team.script('ask me', [[{ call: { name: 'TestApproval', input: {} } }], [{ text: 'Thanks.' }]])
})
afterAll(() => team.close())

const chat = async (browser: Browser, sessionId: string, text: string) =>
  readChat(await browser.request('/ai/chat', { body: { sessionId, message: userMessage(text) } }))

/** Follows a chat over the network, as a proxy forwards it. Resolves with the response, whose end can be awaited. */
async function follow(sessionId: string, headers: Record<string, string>) {
  const sent = httpRequest({
    port: team.port,
    path: `/ai/chat/${sessionId}/stream`,
    headers: { host: 'team.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.1', ...headers },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  const ended = new Promise((resolve) => response.once('close', resolve))
  // It is cut off.
  response.on('error', () => undefined).resume()
  return { status: response.statusCode, ended }
}

const cookieOf = ({ cookies }: Browser) => ({
  cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
  'x-troupe-page': '1',
})

describe('a member who is removed', () => {
  it('loses every way in at once, while a run waits for them', async () => {
    await chat(mia, 'waiting', 'ask me')
    await chat(mia, 'done', 'hello')
    const { body: ask } = await mia.json<{ asks: { id: string }[] }>('/ai/asks')
    expect(ask.asks).toHaveLength(1)
    const { body: token } = await mia.json<{ secret: string }>('/ai/account/tokens', {
      body: { name: 't', scopes: ['write'] },
    })
    const { body: link } = await mia.json<{ url: string }>('/ai/sessions/waiting/links', { body: {} })
    const share = { authorization: `Share ${new URL(link.url).hash.slice('#share='.length)}` }
    const streams = await Promise.all([follow('waiting', cookieOf(mia)), follow('waiting', share)])
    expect(streams.map(({ status }) => status)).toEqual([200, 200])

    const removed = await team.owner.json(`/ai/members/${mia.id}`, { method: 'DELETE' })
    expect([removed.status, removed.body]).toEqual([200, { removed: mia.id, stopped: 1, chats: 2 }])
    await Promise.all(streams.map(({ ended }) => ended))
    expect(team.runs.get('waiting')).toBeUndefined()

    expect((await mia.json('/ai/sessions')).status).toBe(401)
    expect((await mia.json(`/ai/asks/${ask.asks[0]!.id}`, { body: { answer: { type: 'approve' } } })).status).toBe(401)
    expect(
      (await team.browser().json('/ai/sessions', { headers: { authorization: `Bearer ${token.secret}` } })).status,
    ).toBe(401)
    expect((await team.browser().json('/ai/sessions/waiting', { headers: share })).status).toBe(401)
    const again = { email: 'mia@team.example', password }
    expect((await team.browser().json('/ai/account/sign-in', { body: again })).status).toBe(401)

    // The chats belong to the person who removed them.
    const { body } = await team.owner.json<{ sessions: { id: string }[] }>('/ai/sessions')
    expect(body.sessions.map(({ id }) => id).toSorted()).toEqual(['done', 'waiting'])
    expect((await team.owner.json('/ai/asks')).body).toEqual({ asks: [] })
    const { body: members } = await team.owner.json<{ members: object[] }>('/ai/members')
    expect(members.members).toHaveLength(1)
  })

  it('can be invited again, and starts with nothing', async () => {
    const back = await team.join('Mia', 'member')
    expect(back.id).not.toBe(mia.id)
    expect((await back.json('/ai/sessions')).body).toMatchObject({ sessions: [] })
  })
})

describe('a stream', () => {
  it('ends when its reader may no longer see the chat', async () => {
    const sam = await team.join('Sam', 'member')
    const owner = team.owner
    await chat(owner, 'live', 'ask me')
    const share = (right: string | null) =>
      owner.json('/ai/sessions/live/shares', { method: 'PUT', body: { personId: sam.id, right } })
    await share('read')
    const stream = await follow('live', cookieOf(sam))
    expect(stream.status).toBe(200)
    await share(null)
    await stream.ended
    expect((await follow('live', cookieOf(sam))).status).toBe(404)
    // A lower role counts at once, too.
    await owner.json(`/ai/members/${sam.id}`, { method: 'PATCH', body: { role: 'viewer' } })
    expect((await sam.json('/ai/sessions', { body: { id: 'new' } })).status).toBe(403)
    await owner.json('/ai/chat/live/stop', { method: 'POST' })
  })

  it('serves nobody over plain http', async () => {
    expect((await follow('live', { ...cookieOf(team.owner), 'x-forwarded-proto': 'http' })).status).toBe(403)
    expect(publicUrl).toMatch(/^https:/)
  })
})
