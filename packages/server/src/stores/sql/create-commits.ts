import { sql } from 'kysely'
import type { Db } from './context.ts'

/** Runs a work as one commit. It may be run with others in one, of which none can tell. */
export type Commit = <T>(work: (transaction: Db) => Promise<T>) => Promise<T>

/** More would keep those who only read waiting. */
const maxPerCommit = 32

interface Job {
  work(transaction: Db): Promise<unknown>
  outcome?: { value: unknown } | { error: unknown }
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * What waits for the database while it is busy is committed together, so that under load the disk is waited for once
 * and not by each. A work that fails leaves nothing behind and does not touch the others; a commit that fails fails all.
 */
export function createGroupCommit(db: Db): Commit {
  let waiting: Job[] = []
  let busy = false
  return (work) =>
    new Promise<never>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Job['resolve'], reject })
      if (!busy) void commitWaiting()
    })

  async function commitWaiting(): Promise<void> {
    busy = true
    while (waiting.length > 0) await commitTogether()
    busy = false
  }

  async function commitTogether(): Promise<void> {
    let jobs: Job[] = []
    try {
      await db.transaction().execute(async (transaction) => {
        // Taken only now: more may have come while the connection was waited for.
        jobs = waiting.slice(0, maxPerCommit)
        waiting = waiting.slice(maxPerCommit)
        if (jobs.length === 1) await runAlone(jobs[0] as Job, transaction)
        else for (const job of jobs) await runAmongOthers(job, transaction)
      })
    } catch (error) {
      // Without a transaction none was taken.
      if (jobs.length === 0) jobs = waiting.splice(0)
      for (const { reject } of jobs) reject(error)
      return
    }
    for (const { outcome, resolve, reject } of jobs) {
      if (outcome !== undefined && 'value' in outcome) resolve(outcome.value)
      else reject(outcome?.error)
    }
  }
}

async function runAlone(job: Job, transaction: Db): Promise<void> {
  job.outcome = { value: await job.work(transaction) }
}

async function runAmongOthers(job: Job, transaction: Db): Promise<void> {
  await sql`savepoint work`.execute(transaction)
  try {
    job.outcome = { value: await job.work(transaction) }
  } catch (error) {
    job.outcome = { error }
    await sql`rollback to work`.execute(transaction).catch(() => {
      // There is no way back to it: what failed, such as a full disk, has undone the whole transaction.
      throw error
    })
  }
  await sql`release work`.execute(transaction)
}
