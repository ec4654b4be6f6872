import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyedMutex } from '../../util/concurrency.ts'
import { sql } from 'kysely'
import { type Db, lockKey, type StoreContext } from '../sql/context.ts'
import type { Commit } from '../sql/sql-store.ts'
import { codeOf, isUnsent } from './pool.ts'

/** Attempts after which a callback fails. Losing this often happens only under a fault. */
const maxAttempts = 10
const maxPauseMs = 50

/**
 * Runs each callback in its own transaction. The server merges their disk syncs. A callback runs again if the
 * transaction cannot have been stored: after a deadlock, if another process added or removed a row that it had looked
 * for, or if the connection was lost before the commit.
 */
export function createPostgresCommit(db: Db): Commit {
  const active = new Set<Promise<unknown>>()

  async function attempt<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const state = { isCommitting: false }
      try {
        return await inTransaction(work, state)
      } catch (error) {
        if ((state.isCommitting && !isUnsent(error)) || tries >= triesFor(error)) throw error
        await sleep(Math.random() * Math.min(maxPauseMs, 5 * tries))
      }
    }
  }

  async function inTransaction<T>(work: (transaction: Db) => Promise<T>, state: { isCommitting: boolean }): Promise<T> {
    const transaction = await db.startTransaction().execute()
    try {
      const value = await work(transaction)
      state.isCommitting = true
      await transaction.commit().execute()
      return value
    } catch (error) {
      // If this also fails, the connection is gone, and the first error says more.
      if (!transaction.isRolledBack && !transaction.isCommitted)
        await transaction
          .rollback()
          .execute()
          .catch(() => undefined)
      throw error
    }
  }

  const commit = <T>(work: (transaction: Db) => Promise<T>): Promise<T> => {
    const running = attempt(work).finally(() => active.delete(running))
    active.add(running)
    return running
  }
  return Object.assign(commit, {
    async flush() {
      while (active.size > 0) await Promise.allSettled(active)
    },
  })
}

const serializationFailure = '40001'
const deadlock = '40P01'
const constraintFailures = ['23505', '23503']

function triesFor(error: unknown): number {
  const code = codeOf(error)
  if (code === serializationFailure || code === deadlock) return maxAttempts
  // The second try finds the row, and fails or succeeds as if it came later.
  if (constraintFailures.includes(code)) return 2
  return error instanceof Error && error.name === 'DatabaseUnavailable' ? 3 : 1
}

/**
 * Serializes work of several commits on one session among all processes. The lock belongs to a transaction without
 * changes, since a pooler between moves sessions to other connections. `locks` has connections of its own: the work
 * needs more of the others.
 */
export function createPostgresSerialize(locks: Db): StoreContext['serialize'] {
  const inProcess = createKeyedMutex()
  return (sessionId, work) =>
    inProcess(sessionId, () =>
      locks.transaction().execute(async (transaction) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
        await sql`set local lock_timeout = 0`.execute(transaction)
        await sql`set local statement_timeout = 0`.execute(transaction)
        await lockKey(transaction, `session:${sessionId}`)
        return work()
      }),
    )
}
