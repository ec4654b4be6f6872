import { randomInt } from 'node:crypto'
import { setImmediate as immediate } from 'node:timers/promises'
import type { Db } from '../stores/sql/context.ts'
import type { Tables } from '../stores/sql/tables.ts'
import { type Aliases, openAliases } from './audit-aliases.ts'
import { cleanText, detailOf, termsOf } from './audit-terms.ts'
import { type AuditQuery, searchAudit } from './search-audit.ts'

export const auditOutcomes = ['ok', 'denied', 'failed'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/** A person, Troupe itself, a program with the token of the home, or a caller that is not signed in. */
export type AuditActor = { id: string; name: string } | 'system' | 'local' | 'anonymous'

export interface AuditRecord {
  actor: AuditActor
  /** `noun.verb`, such as `policy.change`. */
  action: string
  /** An object of type `person` is stored under an alias. */
  target?: { type: string; id: string } | undefined
  /** Default: ok. */
  outcome?: AuditOutcome | undefined
  detail?: Record<string, unknown> | undefined
  requestId?: string | undefined
  address?: string | undefined
}

export interface AuditEntry {
  id: string
  at: number
  /** `id` is the alias, which stays when the person is deleted. `name` is null then. */
  actor: { id: string; name: string | null }
  action: string
  target: { type: string; id: string; name?: string | null } | null
  outcome: AuditOutcome
  detail: Record<string, unknown>
  requestId: string | null
  address: string | null
}

/** The append-only record of who did what. See docs/decisions/031-audit-and-secrets.md. */
export interface Audit {
  /** Resolves once the entry is stored. Concurrent entries share a commit. */
  record(record: AuditRecord): Promise<void>
  /** Newest first, with all entries of this node. The time does not depend on the number of entries. */
  search(query?: AuditQuery): Promise<{ entries: AuditEntry[]; next: string | null }>
  /** All entries that match, newest first, in pages. */
  pages(query?: AuditQuery): AsyncGenerator<AuditEntry[]>
  /** The alias of a person, which is all that stays of a deleted one. */
  aliasOf(personId: string): Promise<string>
  /** Deletes what ties entries to a person: their name, addresses and e-mail. The entries stay. */
  forget(person: { id: string; email?: string }): Promise<void>
  /** Resolves once all entries are stored. */
  close(): Promise<void>
}

const maxPerCommit = 200
const idsPerMs = 1024
const maxTries = 5

export function openAudit(options: {
  db: Db
  /** Removes known secrets from a text. */
  redact?: (text: string) => string
  clock?: () => number
}): Audit {
  const { db, redact = (text) => text, clock = Date.now } = options
  const aliases = openAliases(db)
  let waiting: { record: AuditRecord; at: number; done: (error?: unknown) => void }[] = []
  let writing: Promise<void> | undefined
  let lastId = 0

  const audit: Audit = {
    record: (record) =>
      new Promise((resolve, reject) => {
        waiting.push({
          record,
          at: clock(),
          done: (error) => (error === undefined ? resolve() : reject(error as Error)),
        })
        writing ??= write()
      }),
    async search(query) {
      await writing
      const { rows, next } = await searchAudit(db, query)
      return { entries: await readEntries(rows, aliases), next }
    },
    async *pages(query = {}) {
      let { before } = query
      for (;;) {
        const { entries, next } = await audit.search({ ...query, before, limit: 500 })
        if (entries.length > 0) yield entries
        if (next === null) return
        before = next
      }
    },
    aliasOf: (personId) => aliases.of(personId, 'person', ''),
    forget: (person) => aliases.forget(person),
    close: async () => writing,
  }
  return audit

  async function write(): Promise<void> {
    // Entries of one moment share a commit.
    await immediate()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxPerCommit)
      waiting = waiting.slice(maxPerCommit)
      try {
        await store(batch)
        for (const { done } of batch) done()
      } catch (error) {
        for (const { done } of batch) done(error)
      }
    }
    writing = undefined
  }

  async function store(batch: typeof waiting): Promise<void> {
    const details = await aliases.replace(batch.map(({ record }) => detailOf(record.detail ?? {}, redact)))
    const prepared: Omit<Tables['audit_entry'], 'id'>[] = []
    for (const [i, { record, at }] of batch.entries())
      prepared.push({ at, ...(await toColumns(record)), detail: JSON.stringify(details[i]) })
    for (let tries = 1; ; tries++) {
      const rows = prepared.map((columns) => ({ id: nextId(columns.at, tries), ...columns }))
      try {
        await db.transaction().execute(async (inside) => {
          await inside.insertInto('audit_entry').values(rows).execute()
          const terms = rows.flatMap((row) => termsOf(row).map((term) => ({ term, id: row.id })))
          // Databases limit the number of values in one statement.
          for (let i = 0; i < terms.length; i += 1000)
            await inside
              .insertInto('audit_term')
              .values(terms.slice(i, i + 1000))
              .execute()
        })
        return
      } catch (error) {
        // Another node took the same id in the same millisecond.
        if (tries === maxTries || !/unique/i.test(String(error))) throw error
      }
    }
  }

  /** Ids sort by time. Nodes that write in the same millisecond differ by the random part. */
  function nextId(at: number, tries: number): number {
    lastId = Math.max(lastId + randomInt(1, 16 * tries), at * idsPerMs + randomInt(idsPerMs))
    return lastId
  }

  async function toColumns(record: AuditRecord): Promise<Omit<Tables['audit_entry'], 'id' | 'at' | 'detail'>> {
    const { actor, target, address = '' } = record
    const person = typeof actor === 'string' ? undefined : actor
    const targetId = cleanText(target?.id ?? '').slice(0, 500)
    return {
      actor: person === undefined ? (actor as string) : await aliases.of(person.id, 'person', cleanText(person.name)),
      action: record.action,
      target_type: target?.type ?? '',
      target: target?.type === 'person' ? await aliases.of(targetId, 'person', '') : redact(targetId),
      outcome: record.outcome ?? 'ok',
      request_id: record.requestId ?? '',
      address: address === '' ? '' : await aliases.of(person?.id ?? '', `address ${address}`, address),
    }
  }
}

async function readEntries(rows: readonly Tables['audit_entry'][], aliases: Aliases): Promise<AuditEntry[]> {
  const details = rows.map(({ detail }) => JSON.parse(detail) as Record<string, unknown>)
  const labels = await aliases.labels(rows.flatMap((row, i) => [row.actor, row.target, row.address, details[i]]))
  return rows.map((row, i) => ({
    id: String(row.id),
    at: Number(row.at),
    actor: { id: row.actor, name: row.actor.startsWith('@') ? (labels.get(row.actor) ?? null) : row.actor },
    action: row.action,
    target:
      row.target_type === ''
        ? null
        : {
            type: row.target_type,
            id: row.target,
            ...(row.target_type === 'person' && { name: labels.get(row.target) ?? null }),
          },
    outcome: row.outcome as AuditOutcome,
    detail: aliases.restore(details[i] as Record<string, unknown>, labels),
    requestId: row.request_id || null,
    address: row.address === '' ? null : (labels.get(row.address) ?? null),
  }))
}
