import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'
import { readChat, userMessage } from '../testing/test-server.ts'
import { type Browser, password, type TestTeam, testTeam } from './testing/test-team.ts'

/** The other tests of this folder use SQLite. This one does a little of everything on Postgres. */
describe.skipIf(!hasPostgres)('a team on Postgres', () => {
  let team: TestTeam
  let mia: Browser & { id: string }
  let sam: Browser & { id: string }
  beforeAll(async () => {
    team = await testTeam({
      databaseUrl: await createTestDatabase(),
      server: { listen: true, port: 0 },
      trustedProxies: ['127.0.0.1'],
    })
    mia = await team.join('Mia', 'member')
    sam = await team.join('Sam', 'member')
  })
  afterAll(() => team.close())

  const chat = async (browser: Browser, sessionId: string, text: string, id: string) =>
    readChat(await browser.request('/ai/chat', { body: { sessionId, message: userMessage(text, id) } }))

  it('shows people what they may see', async () => {
    await chat(mia, 'private', 'a secret needle', 'u1')
    await chat(mia, 'shared', 'a shared needle', 'u2')
    await mia.json('/ai/sessions/shared/shares', { method: 'PUT', body: { personId: sam.id, right: 'comment' } })
    const found = await sam.json<{ sessions: { id: string }[]; hits: { sessionId: string }[] }>('/ai/sessions?q=needle')
    expect([
      found.body.sessions.map(({ id }) => id),
      [...new Set(found.body.hits.map((hit) => hit.sessionId))],
    ]).toEqual([['shared'], ['shared']])
    expect((await sam.json('/ai/sessions/private')).status).toBe(404)
    expect((await sam.json<{ workspaces: { chats: number }[] }>('/ai/workspaces')).body.workspaces).toMatchObject([
      { chats: 1 },
    ])
    expect((await sam.json('/ai/usage')).status).toBe(200)
  })

  it('keeps comments, mentions and presence', async () => {
    const body = { messageId: 'u2', text: 'Hello', mentions: [mia.id] }
    expect((await sam.json('/ai/sessions/shared/comments', { body })).status).toBe(201)
    expect((await mia.json('/ai/mentions')).body).toMatchObject({ mentions: [{ text: 'Hello', seen: false }] })
    expect((await mia.json('/ai/sessions/shared/presence', { body: {} })).body).toMatchObject({
      people: [{ name: 'Mia' }],
    })
    expect((await sam.json('/ai/sessions/shared/presence', { body: {} })).body).toMatchObject({
      people: [{ name: 'Mia' }, { name: 'Sam' }],
    })
  })

  it('signs in, limits attempts, and gives tokens', async () => {
    const signIn = (given: string) =>
      team.browser().json('/ai/account/sign-in', { body: { email: 'sam@team.example', password: given } })
    expect((await signIn(password)).status).toBe(200)
    const { body } = await sam.json<{ secret: string }>('/ai/account/tokens', { body: { name: 't', scopes: ['read'] } })
    const call = () => team.browser().json('/ai/sessions', { headers: { authorization: `Bearer ${body.secret}` } })
    expect((await call()).status).toBe(200)
    const statuses = []
    for (let i = 0; i < 11; i++) statuses.push((await signIn('wrong password')).status)
    expect(statuses.slice(-2)).toEqual([401, 429])
    const device = await team.browser().json<{ userCode: string }>('/ai/device', { body: {} })
    const answer = { userCode: device.body.userCode, approve: true }
    expect((await sam.json('/ai/device/answer', { body: answer })).status).toBe(204)
    expect((await team.owner.json(`/ai/members/${sam.id}`, { method: 'DELETE' })).status).toBe(200)
    expect([(await call()).status, (await sam.json('/ai/sessions')).status]).toEqual([401, 401])
  })
})
