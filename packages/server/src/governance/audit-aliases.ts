import { randomBytes } from 'node:crypto'
import type { Db } from '../stores/sql/context.ts'

/**
 * Personal data of the audit log. Entries cannot be changed, so they hold only aliases (`@` and random letters), and
 * this table says what an alias means. Deleting its rows makes the entries of a person pseudonymous.
 */
export interface Aliases {
  /** The alias of a person's fact. A new `label` replaces the stored one, unless it is empty. */
  of(personId: string, kind: string, label: string): Promise<string>
  /** Replaces ids of known people and e-mail addresses in the strings of a value. */
  replace<T>(value: T): Promise<T>
  /** Returns the meanings of the aliases in these values, without deleted ones. */
  labels(values: readonly unknown[]): Promise<Map<string, string>>
  restore<T>(value: T, labels: ReadonlyMap<string, string>): T
  forget(person: { id: string; email?: string }): Promise<void>
}

export const aliasPattern = /@[A-Za-z0-9]{16}(?![\w.-])/g
const emailPattern = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g
const maxCached = 10_000

export function openAliases(db: Db): Aliases {
  /** Other nodes may delete rows, so only the alias of a pair is kept, which never gets another meaning. */
  const known = new Map<string, { id: string; label: string }>()

  const aliases: Aliases = {
    async of(personId, kind, label) {
      const key = `${personId}\n${kind}`
      const cached = known.get(key)
      if (cached !== undefined && (label === '' || cached.label === label)) return cached.id
      const fresh = { id: newAlias(), person_id: personId, kind, label: label || personId }
      await db
        .insertInto('audit_alias')
        .values(fresh)
        .onConflict((conflict) => {
          const same = conflict.columns(['person_id', 'kind'])
          return label === '' ? same.doNothing() : same.doUpdateSet({ label })
        })
        .execute()
      const stored = await db
        .selectFrom('audit_alias')
        .select(['id', 'label'])
        .where('person_id', '=', personId)
        .where('kind', '=', kind)
        .executeTakeFirstOrThrow()
      if (known.size >= maxCached) known.clear()
      known.set(key, stored)
      return stored.id
    },

    async replace(value) {
      const texts: string[] = []
      mapStrings(value, (text) => (texts.push(text), text))
      const meanings = new Map<string, string>()
      for (const email of new Set(texts.flatMap((text) => text.match(emailPattern) ?? [])))
        meanings.set(email, await aliases.of(email.toLowerCase(), 'email', email))
      const ids = [...new Set(texts.filter((text) => /^[\w-]{1,64}$/.test(text)))]
      if (ids.length > 0) {
        const people = await db
          .selectFrom('audit_alias')
          .select(['id', 'person_id'])
          .where('kind', '=', 'person')
          .where('person_id', 'in', ids.slice(0, 500))
          .execute()
        for (const { id, person_id } of people) meanings.set(person_id, id)
      }
      if (meanings.size === 0) return value
      return mapStrings(
        value,
        (text) => meanings.get(text) ?? text.replace(emailPattern, (email) => meanings.get(email) ?? email),
      )
    },

    async labels(values) {
      const ids = new Set<string>()
      mapStrings(values, (text) => {
        for (const [alias] of text.matchAll(aliasPattern)) ids.add(alias)
        return text
      })
      const labels = new Map<string, string>()
      const all = [...ids]
      for (let i = 0; i < all.length; i += 500) {
        const rows = await db
          .selectFrom('audit_alias')
          .select(['id', 'label'])
          .where('id', 'in', all.slice(i, i + 500))
          .execute()
        for (const { id, label } of rows) labels.set(id, label)
      }
      return labels
    },

    restore: (value, labels) =>
      mapStrings(value, (text) => text.replaceAll(aliasPattern, (alias) => labels.get(alias) ?? alias)),

    async forget({ id, email }) {
      const owners = [id, ...(email === undefined ? [] : [email.toLowerCase()])]
      await db.deleteFrom('audit_alias').where('person_id', 'in', owners).execute()
      for (const key of known.keys()) if (owners.some((owner) => key.startsWith(`${owner}\n`))) known.delete(key)
    },
  }
  return aliases
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function newAlias(): string {
  return `@${Array.from(randomBytes(16), (byte) => letters[byte % letters.length]).join('')}`
}

function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((one: unknown) => mapStrings(one, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [change(key), mapStrings(one as unknown, change)]),
  ) as T
}
