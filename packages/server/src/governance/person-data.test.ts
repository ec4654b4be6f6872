import { afterEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { findText } from './person-tables.ts'
import { teamServer, type TeamServer } from './testing/team-server.ts'

let ann: string

describe('data of a person', () => {
  let server: TeamServer
  afterEach(() => server.close())
  const db = () => (server.store as unknown as SqlStore).db

  /** Chats of two people, one shared, with keys, limits, usage, files and audit entries. */
  async function fill(): Promise<{ picture: string }> {
    server = await teamServer()
    ann = await server.idOf('ann')
    const upload = await server.as('ann').request('/ai/blobs', {
      method: 'POST',
      body: new TextEncoder().encode('a picture'),
      headers: { 'content-type': 'image/png' },
    })
    const { sha256: picture } = (await upload.json()) as { sha256: string }
    const parts = [
      { type: 'text', text: 'hello' },
      { type: 'file', mediaType: 'image/png', url: `/ai/blobs/${picture}` },
    ]
    await server.as('ann').chat('s-one', { id: 'u1', role: 'user', parts })
    await server.as('bob').chat('s-two', 'hello')
    const share = { personId: ann, right: 'write' }
    await server.as('bob').json('/ai/sessions/s-two/shares', { method: 'PUT', body: share })
    await server.as('ann').chat('s-two', 'from a guest')
    await server.as('ann').json('/ai/me/keys', { body: { provider: 'openai', apiKey: 'sk-of-ann' } })
    const limits = { people: { byId: { [ann]: { day: 5, requestsPerMinute: 50 } } } }
    await server.as('admin').json('/ai/limits', { method: 'PATCH', body: { limits } })
    await server.as('ann').chat('s-one', 'once more')
    const [question] = await server.messages('s-two')
    const comment = { messageId: question?.id, text: 'A comment' }
    await server.as('ann').json('/ai/sessions/s-two/comments', { body: comment })
    await server.as('bob').json('/ai/sessions/s-two/comments', { body: { ...comment, mentions: [ann] } })
    // A table of another part of the server.
    await sql`create table note (id text primary key, text text not null)`.execute(db())
    await sql`insert into note values ('n1', ${`about ${ann}`}), ('n2', ${ann})`.execute(db())
    return { picture }
  }

  it('is exported as a whole, to the person and to admins', async () => {
    const { picture } = await fill()
    expect((await server.as('bob').request(`/ai/people/${ann}/data`)).status).toBe(403)
    expect((await server.as('admin').request(`/ai/people/${ann}/data`)).status).toBe(200)
    const response = await server.as('ann').request(`/ai/people/${ann}/data`)
    expect(response.headers.get('content-disposition')).toContain(`person-${ann}.jsonl`)
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const of = (type: string) => lines.filter((line) => line['type'] === type)
    expect(of('chat')).toMatchObject([{ chat: { id: 's-one' } }])
    expect(of('message').map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(of('blob')).toMatchObject([{ sha256: picture, base64: Buffer.from('a picture').toString('base64') }])
    expect(of('key')).toEqual([{ type: 'key', provider: 'openai' }])
    expect(of('usage')).toMatchObject([{ person: ann, calls: 3 }])
    expect(of('record').map(({ table }) => table)).toEqual(
      expect.arrayContaining(['member', 'session_share', 'comment', 'comment_mention', 'note']),
    )
    const text = JSON.stringify(of('record'))
    expect(text).toContain('A comment')
    expect(text).not.toMatch(/\$argon|scrypt|[0-9a-f]{32}:/)
    expect(of('audit').length).toBeGreaterThan(3)
    expect(JSON.stringify(lines)).not.toContain('sk-of-ann')
    expect(JSON.stringify(lines)).not.toContain('"s-two","title')
  })

  it('is deleted everywhere, and what belongs to others stays', async () => {
    const { picture } = await fill()
    const before = (await server.as('admin').json<{ total: { calls: number } }>('/ai/usage')).body.total
    expect((await findText(db(), ann)).map(({ table }) => table)).toEqual(
      expect.arrayContaining(['session', 'run', 'usage', 'secret', 'audit_alias', 'team_setting', 'comment', 'note']),
    )
    expect((await server.as('bob').json(`/ai/people/${ann}/data`, { method: 'DELETE' })).status).toBe(403)
    const owner = await server.idOf('owner')
    expect((await server.as('admin').json(`/ai/people/${owner}/data`, { method: 'DELETE' })).status).toBe(403)
    const erased = await server.as('ann').json<{ alias: string }>(`/ai/people/${ann}/data`, { method: 'DELETE' })
    expect(erased).toMatchObject({ status: 200, body: { chats: 1, blobs: 1 } })
    expect(await findText(db(), ann)).toEqual([])
    for (const trace of ['ann@team.example']) expect(await findText(db(), trace)).toEqual([])
    const raw = await sql<{
      text: string
    }>`select detail || actor || target || address as text from audit_entry union all select term from audit_term`.execute(
      db(),
    )
    for (const { text } of raw.rows) expect(text).not.toMatch(new RegExp(`${ann}|\\bann\\b`, 'i'))
    expect((await server.json(`/ai/sessions/s-one`)).status).toBe(404)
    expect((await server.request(`/ai/blobs/${picture}`)).status).toBe(404)
    const rest = await server.messages('s-two')
    expect(rest).toHaveLength(4)
    expect(rest.map(({ metadata }) => metadata?.author?.name)).toEqual([
      expect.stringMatching(/^bob/i),
      undefined,
      '',
      undefined,
    ])
    expect((await server.as('admin').json<{ total: object }>('/ai/usage')).body.total).toEqual(before)
    type Entry = { action: string; actor: { id: string; name: string | null }; target: { id: string } | null }
    const { entries } = (await server.as('admin').json<{ entries: Entry[] }>('/ai/audit?limit=200')).body
    const erasure = entries.find(({ action, actor }) => action === 'person.erase' && actor.name === 'system')
    expect(erasure?.target?.id).toBe(erased.body.alias)
    expect(entries.filter(({ actor }) => actor.id === erased.body.alias).length).toBeGreaterThan(3)
    expect(entries.every(({ actor }) => actor.id !== erased.body.alias || actor.name === null)).toBe(true)
    const again = await server.as('admin').json(`/ai/people/${ann}/data`, { method: 'DELETE' })
    expect(again).toMatchObject({ status: 200, body: { chats: 0, blobs: 0 } })
    expect(await findText(db(), ann)).toEqual([])
  })
})
