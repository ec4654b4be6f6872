import { createHash } from 'node:crypto'
import { NamedError } from '@troupe/protocol'
import { sql } from 'kysely'
import type { Db } from '../stores/sql/context.ts'

const windowMs = 15 * 60 * 1000
/** Attempts in a window. An office shares one address. */
const most = { account: 10, address: 60, unknown: 600 }

export type Limits = ReturnType<typeof createLimits>

/** Limits attempts to sign in, and to guess links and codes. Counted in the database, so for all nodes together. */
export function createLimits(db: Db, clock: () => number) {
  return {
    /**
     * Counts an attempt. Throws `TooManyRequests` (429). Without an address, all strangers would share one bucket and
     * could lock everyone out. So the account is what counts then, and the shared limit is high.
     */
    async count(attempt: { address: string | undefined; account?: string }): Promise<void> {
      const { address, account } = attempt
      await consume(
        ...(address === undefined ? (['unknown', most.unknown] as const) : keyOf('address', network(address))),
      )
      if (account !== undefined) await consume(...keyOf('account', account.toLowerCase()))
    },

    /** After a success, earlier mistakes of this account do not count. */
    async forgive(account: string): Promise<void> {
      await db.deleteFrom('rate_limit').where('key', '=', keyOf('account', account.toLowerCase())[0]).execute()
    },
  }

  async function consume(key: string, limit: number): Promise<void> {
    const now = clock()
    const isOver = sql<boolean>`rate_limit.since <= ${now - windowMs}`
    const { count, since } = await db
      .insertInto('rate_limit')
      .values({ key, count: 1, since: now })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql<number>`case when ${isOver} then 1 else rate_limit.count + 1 end`,
          since: sql<number>`case when ${isOver} then ${now} else rate_limit.since end`,
        }),
      )
      .returning(['count', 'since'])
      .executeTakeFirstOrThrow()
    if (count === 1)
      await db
        .deleteFrom('rate_limit')
        .where('since', '<=', now - windowMs)
        .execute()
    if (Number(count) <= limit) return
    const seconds = Math.ceil((Number(since) + windowMs - now) / 1000)
    throw new NamedError('TooManyRequests', 'Too many attempts. Try again later.', { status: 429, data: { seconds } })
  }
}

/** Hashed, so the table names nobody. */
function keyOf(kind: 'account' | 'address', value: string): readonly [string, number] {
  return [`${kind}:${createHash('sha256').update(value).digest('base64url')}`, most[kind]]
}

/** Providers give a customer a whole IPv6 network. */
function network(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
