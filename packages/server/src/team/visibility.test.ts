import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHmac } from 'node:crypto'
import { readChat, userMessage } from '../testing/test-server.ts'
import { type Browser, publicUrl, type TestTeam, testTeam } from './testing/test-team.ts'

let team: TestTeam
let mia: Browser & { id: string }
let sam: Browser & { id: string }
let vic: Browser & { id: string }

const chat = async (browser: Browser, sessionId: string, text: string) =>
  readChat(await browser.request('/ai/chat', { body: { sessionId, message: userMessage(text) } }))
const ids = async (browser: Browser, target: string, list = 'sessions'): Promise<string[]> =>
  (await browser.json<Record<string, { id: string }[]>>(target)).body[list]!.map(({ id }) => id).toSorted()

beforeAll(async () => {
  team = await testTeam({ server: { testApproval: undefined } })
  mia = await team.join('Mia', 'member')
  sam = await team.join('Sam', 'member')
  vic = await team.join('Vic', 'viewer')
  team.script('ask me', [[{ call: { name: 'TestApproval', input: {} } }], [{ text: 'Thanks.' }]])
  await chat(mia, 'mia-private', 'a secret needle')
  await chat(mia, 'mia-shared', 'a shared needle')
  await chat(mia, 'mia-visible', 'a visible needle')
  await chat(sam, 'sam-own', 'his own needle')
  await mia.json('/ai/sessions/mia-shared/shares', { method: 'PUT', body: { personId: sam.id, right: 'read' } })
  await mia.json('/ai/sessions/mia-visible/sharing', { method: 'PATCH', body: { visibility: 'workspace' } })
})
afterAll(() => team.close())

describe('lists show what the caller may see', () => {
  it('chats and search', async () => {
    expect(await ids(mia, '/ai/sessions')).toEqual(['mia-private', 'mia-shared', 'mia-visible'])
    expect(await ids(sam, '/ai/sessions')).toEqual(['mia-shared', 'mia-visible', 'sam-own'])
    expect(await ids(vic, '/ai/sessions')).toEqual(['mia-visible'])
    expect(await ids(team.owner, '/ai/sessions')).toEqual(['mia-visible'])
    const { body } = await sam.json<{ sessions: { id: string }[]; hits: { sessionId: string }[] }>(
      '/ai/sessions?q=needle',
    )
    expect(new Set(body.hits.map((hit) => hit.sessionId))).toEqual(new Set(['mia-shared', 'mia-visible', 'sam-own']))
    expect(body.sessions.map(({ id }) => id).toSorted()).toEqual(['mia-shared', 'mia-visible', 'sam-own'])
    expect(await ids(sam, '/ai/shared-sessions')).toEqual(['mia-shared'])
  })

  it('folders and their counts', async () => {
    const counts = async (browser: Browser) =>
      (
        await browser.json<{ workspaces: { chats: number; sessions: object[] }[]; roots: string[] }>(
          '/ai/workspaces?chats=9',
        )
      ).body
    expect((await counts(sam)).workspaces).toMatchObject([{ chats: 3, sessions: [{}, {}, {}] }])
    expect((await counts(vic)).workspaces).toMatchObject([{ chats: 1, sessions: [{}] }])
    expect([(await counts(sam)).roots, (await counts(team.owner)).roots.length > 0]).toEqual([[], true])
    const { body } = await mia.json<{ folder: { id: string } }>('/ai/folders', { body: { name: 'Work' } })
    await mia.json('/ai/sessions/mia-private', { method: 'PATCH', body: { folderId: body.folder.id } })
    const folders = async (browser: Browser) => (await browser.json<{ folders: object[] }>('/ai/folders')).body.folders
    expect([await folders(mia), await folders(sam)]).toMatchObject([[{ sessionCount: 1 }], [{ sessionCount: 0 }]])
  })

  it('requests for approval, and who may answer them', async () => {
    await chat(mia, 'mia-visible', 'ask me')
    const asks = await ids(sam, '/ai/asks?sessionId=mia-visible', 'asks')
    expect(asks).toHaveLength(1)
    // He may write in the chat, but not decide.
    expect(await ids(sam, '/ai/asks', 'asks')).toEqual([])
    const answer = (browser: Browser) => browser.json(`/ai/asks/${asks[0]}`, { body: { answer: { type: 'approve' } } })
    expect([(await answer(sam)).status, (await answer(vic)).status]).toEqual([403, 403])
    await chat(mia, 'mia-private', 'ask me')
    expect(await ids(sam, '/ai/asks?folders=all', 'asks')).toEqual([])
    expect(await ids(mia, '/ai/asks', 'asks')).toHaveLength(2)
    // An admin decides in chats that the folder sees.
    expect((await answer(team.owner)).status).toBe(200)
    await mia.json('/ai/chat/mia-private/stop', { method: 'POST' })
  })

  it('ratings, past calls and usage', async () => {
    const { body } = await mia.json<{ messages: { id: string; role: string }[] }>('/ai/sessions/mia-private/messages')
    const answer = body.messages.find(({ role }) => role === 'assistant')!
    await mia.json(`/ai/sessions/mia-private/messages/${answer.id}/feedback`, { method: 'PUT', body: { rating: 'up' } })
    const rated = async (browser: Browser) => (await browser.json<{ feedback: object[] }>('/ai/feedback')).body.feedback
    expect([(await rated(mia)).length, (await rated(sam)).length]).toEqual([1, 0])
    const calls = async (browser: Browser) =>
      (await browser.json<{ calls: number }>('/ai/rules/test', { body: { text: 'TestApproval' } })).body.calls
    expect([await calls(mia), await calls(sam)]).toEqual([2, 1])
    expect((await sam.json('/ai/usage')).status).toBe(200)
  })

  it('the trash empties only what the caller manages', async () => {
    await mia.json('/ai/sessions/mia-visible', { method: 'PATCH', body: { trashed: true } })
    expect((await sam.json('/ai/trash', { method: 'DELETE' })).body).toEqual({ deleted: [], stillPublished: [] })
    await mia.json('/ai/sessions/mia-visible', { method: 'PATCH', body: { trashed: false } })
    expect(await ids(sam, '/ai/sessions')).toContain('mia-visible')
  })
})

describe('blobs', () => {
  const bytes = new Uint8Array(Buffer.from('a picture'))
  const upload = (browser: Browser) =>
    browser.json<{ sha256: string; url: string }>('/ai/blobs', {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'image/png' },
    })

  it('are read by those who see a chat with them, and not by those who know a hash', async () => {
    const { body } = await upload(mia)
    expect((await sam.request(body.url)).status).toBe(404)
    const stolen = { id: 'u-stolen', role: 'user', parts: [{ type: 'file', url: body.url, mediaType: 'image/png' }] }
    expect((await sam.json('/ai/chat', { body: { sessionId: 'sam-own', message: stolen } })).body.error.name).toBe(
      'BlobNotFound',
    )
    const sent = { ...stolen, id: 'u-file' }
    await readChat(await mia.request('/ai/chat', { body: { sessionId: 'mia-shared', message: sent } }))
    expect((await sam.request(body.url)).status).toBe(200)
    expect((await vic.request(body.url)).status).toBe(404)
    expect((await vic.json(`/ai/documents?blob=${body.sha256}`)).body.error.name).toBe('BlobNotFound')
    const fork = await mia.json<{ session: { id: string } }>('/ai/sessions/mia-shared/fork', {
      body: { messageId: 'u-file' },
    })
    await mia.json('/ai/sessions/mia-shared', { method: 'DELETE' })
    expect((await sam.request(body.url)).status).toBe(404)
    await mia.json(`/ai/sessions/${fork.body.session.id}/shares`, {
      method: 'PUT',
      body: { personId: vic.id, right: 'read' },
    })
    expect((await vic.request(body.url)).status).toBe(200)
  })

  it('open in a browser without the header of the page, and through signed addresses', async () => {
    const { body } = await upload(mia)
    const cookie = [...mia.cookies].map((pair) => pair.join('=')).join('; ')
    const get = (target: string, headers = {}) =>
      team.app.request(`${publicUrl}${target}`, { headers: { host: 'team.example', ...headers } })
    expect([(await get(body.url, { cookie })).status, (await get('/ai/sessions', { cookie })).status]).toEqual([
      200, 401,
    ])
    const { body: me } = await mia.json<{ linkId: string; linkKey: string }>('/ai/me')
    const sign = (target: string, key = me.linkKey) =>
      `${target}&access=${createHmac('sha256', key).update(target).digest('base64url')}`
    const target = `${body.url}?as=${me.linkId}`
    expect((await get(sign(target))).status).toBe(200)
    expect((await get(sign(target, 'wrong'))).status).toBe(401)
    expect((await get(sign(`/ai/sessions?as=${me.linkId}`))).status).toBe(401)
    expect((await get(sign(`${body.url}?as=s.other`))).status).toBe(401)
    const other = (await sam.json<{ linkId: string }>('/ai/me')).body
    expect((await get(sign(`${body.url}?as=${other.linkId}`))).status).toBe(401)
  })
})
