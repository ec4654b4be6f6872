import { randomBytes } from 'node:crypto'
import type { Blobs } from '@troupe/core'
import { sql } from 'kysely'
import type { AnyDb } from '../stores/sql/context.ts'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import type { Audit } from './audit.ts'
import type { TeamLimits } from './limits.ts'
import type { PersonKeys } from './person-keys.ts'
import { replaceText, rowsWith } from './person-tables.ts'
import type { Secrets } from './secrets.ts'

export interface DataSubject {
  id: string
  email?: string
}

/** Exports or deletes everything about one person. */
export interface PersonData {
  /** Lines of JSON with a `type`. */
  export(person: DataSubject): AsyncGenerator<string>
  /**
   * Deletes chats, keys, tokens and shares. Data of others stays, under a pseudonym: messages in their chats,
   * totals of usage, audit entries. Can be repeated after a failure.
   */
  erase(person: DataSubject): Promise<{ chats: number; blobs: number; alias: string }>
}

/** A part of the server that stores personal data and deletes it itself, such as accounts. */
export interface PersonSource {
  export?(person: DataSubject): AsyncIterable<Record<string, unknown> & { type: string }>
  erase(person: DataSubject): Promise<void>
}

interface PersonDataOptions {
  store: SqlStore
  blobs: Blobs
  audit: Audit
  secrets: Secrets
  personKeys: PersonKeys
  limits: TeamLimits
  sources: readonly PersonSource[]
  runs: {
    live(): readonly { sessionId: string; payer?: { person?: string | undefined } }[]
    stop(id: string): Promise<unknown>
  }
  /** Stops and deletes a chat with everything that belongs to it. */
  deleteSession(sessionId: string): Promise<void>
}

/** Tables whose rows are deleted, because they only record that a person had a right. Other tables keep their rows. */
const ownRows: Record<string, string> = {
  member: 'person_id',
  workspace_grant: 'subject',
  session_share: 'person_id',
  share_link: 'created_by',
  comment: 'author_id',
  comment_mention: 'person_id',
  presence: 'person_id',
  person_blob: 'person_id',
}

const pageRows = 500

export function createPersonData(options: PersonDataOptions): PersonData {
  const { store, blobs, audit, secrets, personKeys, limits, sources, runs } = options
  const { db } = store
  return {
    async *export(person) {
      const line = (type: string, value: object): string => `${JSON.stringify({ type, ...value })}\n`
      yield line('person', { ...person, exportedAt: new Date().toISOString() })
      const hashes = new Set<string>()
      for (const sessionId of await ownChats(person.id)) {
        yield line('chat', { chat: await store.sessions.get(sessionId) })
        for await (const page of messagePages(sessionId)) {
          for (const { parts } of page) for (const hash of hashesIn(parts)) hashes.add(hash)
          yield page.map((message) => line('message', { sessionId, ...shownMessage(message) })).join('')
        }
      }
      for (const sha256 of hashes) {
        const blob = await blobs.get(sha256)
        if (blob === undefined) continue
        const base64 = Buffer.from(blob.bytes).toString('base64')
        yield line('blob', { sha256, mediaType: blob.mediaType, base64 })
      }
      for (const provider of await personKeys.list(person.id)) yield line('key', { provider })
      for await (const page of store.usage.rows({ from: '', person: person.id }))
        yield page.map((row) => line('usage', row)).join('')
      const skip = new Set(['session', 'usage', 'secret', 'audit_alias'])
      for await (const { table, row } of rowsWith(db, person.id, skip)) yield line('record', { table, row })
      for (const source of sources)
        for await (const { type, ...value } of source.export?.(person) ?? []) yield line(type, value)
      const seen = new Set<string>()
      for (const query of [{ actor: person.id }, { target: person.id }])
        for await (const page of audit.pages(query))
          for (const entry of page) {
            if (!seen.has(entry.id)) yield line('audit', { entry })
            seen.add(entry.id)
          }
    },

    async erase(person) {
      // First: it blocks new activity, and a refusal leaves everything unchanged.
      for (const source of sources) await source.erase(person)
      for (const { sessionId, payer } of runs.live()) if (payer?.person === person.id) await runs.stop(sessionId)
      const chats = await ownChats(person.id)
      const hashes = new Set<string>()
      for (const sessionId of chats) {
        for await (const page of messagePages(sessionId))
          for (const { parts } of page) for (const hash of hashesIn(parts)) hashes.add(hash)
        await options.deleteSession(sessionId)
      }
      let removed = 0
      for (const sha256 of hashes)
        if (!(await store.messages.usesBlob(sha256)) && (await blobs.remove?.(sha256)) === true) removed++
      for (const provider of await personKeys.list(person.id)) await personKeys.set(person.id, provider, undefined)
      await secrets.forget(person.id)
      await forgetLimits(person.id)
      await mergeUsage(person.id)
      await deleteOwnRows(person.id)
      await forgetName(person.id)
      const alias = await audit.aliasOf(person.id)
      await audit.forget(person)
      // Replace the remaining mentions of the person in all tables.
      const pseudonym = `deleted-${randomBytes(9).toString('base64url')}`
      await replaceText(db, person.id, pseudonym)
      return { chats: chats.length, blobs: removed, alias }
    },
  }

  async function ownChats(personId: string): Promise<string[]> {
    const rows = await db.selectFrom('session').select('id').where('owner_id', '=', personId).orderBy('id').execute()
    return rows.map(({ id }) => id)
  }

  async function* messagePages(sessionId: string) {
    let after = { seq: -1, id: '' }
    for (;;) {
      const rows = await db
        .selectFrom('message')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where(({ eb, and, or }) =>
          or([eb('seq', '>', after.seq), and([eb('seq', '=', after.seq), eb('id', '>', after.id)])]),
        )
        .orderBy('seq')
        .orderBy('id')
        .limit(pageRows)
        .execute()
      if (rows.length > 0) yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageRows) return
      after = { seq: Number(last.seq), id: last.id }
    }
  }

  /** Totals stay, without the person. */
  async function mergeUsage(person: string): Promise<void> {
    const names = ['calls', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost', 'unpriced_tokens']
    const numbers = sql.join(names.map((name) => sql.ref(name)))
    const sums = sql.join(
      names.map((name) => sql`${sql.ref(name)} = usage.${sql.ref(name)} + excluded.${sql.ref(name)}`),
    )
    await db.transaction().execute(async (inside) => {
      await sql`insert into usage (day, model, folder, person, ${numbers})
        select day, model, folder, '', ${numbers} from usage where person = ${person}
        on conflict (day, model, folder, person) do update set ${sums}`.execute(inside)
      await inside.deleteFrom('usage').where('person', '=', person).execute()
    })
  }

  async function forgetLimits(person: string): Promise<void> {
    await db.deleteFrom('rate_count').where('name', '=', `person ${person}`).execute()
    const { people } = limits.setting.get()
    if (!Object.hasOwn(people?.byId ?? {}, person)) return
    await limits.setting.update((now) => {
      const { [person]: _, ...byId } = now.people?.byId ?? {}
      return { ...now, people: { ...now.people, byId } }
    })
  }

  /** Their messages in the chats of others stay, without their name. */
  async function forgetName(personId: string): Promise<void> {
    const named = `${JSON.stringify({ id: personId }).slice(0, -1)},"name":`
    for (;;) {
      const rows = await db
        .selectFrom('message')
        .select(['session_id', 'agent_id', 'id', 'metadata'])
        .where('metadata', 'like', `%${named}"_%`)
        .limit(pageRows)
        .execute()
      for (const { metadata, ...key } of rows) {
        const nameless = metadata!.replace(authors, (text, id) => (id === personId ? `{"id":"${id}","name":""}` : text))
        await db
          .updateTable('message')
          .set({ metadata: nameless })
          .where('session_id', '=', key.session_id)
          .where('agent_id', '=', key.agent_id)
          .where('id', '=', key.id)
          .execute()
      }
      if (rows.length < pageRows) return
    }
  }

  async function deleteOwnRows(person: string): Promise<void> {
    const tables = new Set((await db.introspection.getTables()).map(({ name }) => name))
    const dynamic: AnyDb = db
    for (const [table, column] of Object.entries(ownRows))
      if (tables.has(table))
        await dynamic
          .deleteFrom(table)
          .where(column, 'in', [person, `person:${person}`])
          .execute()
  }
}

/** Authors in the metadata of messages. */
const authors = /\{"id":"([^"]*)","name":"(?:[^"\\]|\\.)*"\}/g

function hashesIn(parts: string): string[] {
  return parts.match(/\b[0-9a-f]{64}\b/g) ?? []
}

function shownMessage(row: {
  id: string
  agent_id: string
  parent_id: string
  role: string
  created_at: number
  parts: string
}) {
  return {
    id: row.id,
    agentId: row.agent_id || undefined,
    parentId: row.parent_id || null,
    role: row.role,
    createdAt: Number(row.created_at),
    parts: JSON.parse(row.parts) as unknown,
  }
}
