import { setImmediate as immediate } from 'node:timers/promises'
import type { Store, TransactionOptions } from '@troupe/core'
import { sql } from 'kysely'
import { createKeyedMutex } from '../../util/concurrency.ts'
import { agents } from './agents.ts'
import { asks, calls } from './calls.ts'
import {
  type Db,
  type ExportChange,
  type Log,
  type SearchIndex,
  setWriting,
  type Signal,
  statement,
  type StoreChange,
  type StoreContext,
} from './context.ts'
import { folders } from './folders.ts'
import { messages } from './messages.ts'
import { createRestore, type RestoreResult, type SessionBundle } from './restore.ts'
import { frames, runs } from './runs.ts'
import { sessions } from './sessions.ts'
import { type SignalPort, signals } from './signals.ts'
import { usage } from './usage.ts'
import { records, workspaces } from './workspaces.ts'
import { settings } from './settings.ts'
import { purgeHiddenSessions } from './hidden-sessions.ts'

/** Keeps the exported files in sync with the database. */
export interface Exporter {
  /** Runs inside the transaction. Records what must survive a crash. */
  beforeCommit(db: Db, changes: ExportChange[]): Promise<void>
  /**
   * Resolves once the files match the commit, or immediately if that can wait a moment. Never rejects: failures are logged
   * and repaired later.
   */
  afterCommit(changes: ExportChange[], canWait: boolean): Promise<void>
}

interface SqlStoreOptions {
  db: Db
  search: SearchIndex
  exporter: Exporter
  signals: SignalPort
  /** Default: several callbacks share one commit. */
  commit?: Commit
  /** Serializes multi-commit work on one session. Default: within this process. */
  serialize?: StoreContext['serialize']
  clock: () => number
  log: Log
  /** Names the disk with the folders of workspaces, if several processes on different disks share the database. */
  place?: string
}

export interface SqlStore extends Store {
  restore(bundle: SessionBundle, options?: { signal?: AbortSignal }): Promise<RestoreResult>
  /** The database, for tables that only some parts of the server use. Not for use inside of a transaction. */
  readonly db: Db
  /** Removes leftovers of imports and deletions that a crash interrupted. */
  purgeHidden(): Promise<void>
}

/**
 * The store on any SQL database Kysely supports. Inside `transaction(work)`, use only the store passed to `work`: with
 * a single connection, the outer one waits for the transaction to end.
 */
export function createSqlStore(options: SqlStoreOptions): SqlStore {
  const { db, search, clock, log, exporter, signals, place = '' } = options
  const { commit: inCommit = createGroupCommit(db), serialize = createKeyedMutex() } = options
  const { listen } = signals
  let gathering: Promise<void> | undefined

  /** Resolves at the end of this turn of the event loop, for all callers together. */
  function gather(): Promise<void> {
    return (gathering ??= immediate().then(() => (gathering = undefined)))
  }

  async function commit<T>(
    work: (context: StoreContext, changes: StoreChange[]) => Promise<T>,
    { exportLater = false, canGather = false, canWait = false }: TransactionOptions = {},
  ): Promise<T> {
    if (canGather) await gather()
    let exported: ExportChange[] = []
    let sent: Signal[] = []
    const result = await inCommit(async (transaction) => {
      let ended = false
      const changes: StoreChange[] = []
      const inside: StoreContext = {
        get db() {
          if (ended) throw new Error('This transaction has ended; await every call inside it.')
          return transaction
        },
        search,
        clock,
        log,
        place,
        listen,
        write: (work) => work(inside.db, changes),
        // The transaction already has exclusive access.
        serialize: (_, work) => work(),
      }
      try {
        const result = await work(inside, changes)
        exported = changes.filter((change) => change.type !== 'signal')
        if (exported.length > 0) await exporter.beforeCommit(transaction, exported)
        sent = exported.length === changes.length ? [] : changes.filter((change) => change.type === 'signal')
        if (sent.length > 0) await signals.beforeCommit(transaction, sent)
        return result
      } finally {
        ended = true
      }
    }, canWait)
    if (sent.length > 0) signals.afterCommit(sent)
    if (exported.length > 0) await exporter.afterCommit(exported, exportLater)
    return result
  }

  const outside: StoreContext = {
    db,
    search,
    clock,
    log,
    place,
    listen,
    write: (work) => commit((inside, changes) => work(inside.db, changes)),
    serialize,
  }
  return {
    ...nouns(outside),
    db,
    restore: createRestore(outside),
    purgeHidden: () => purgeHiddenSessions(outside),
    transaction: (work, options) => commit((inside) => work(new InsideStore(inside) as unknown as Store), options),
    async close() {
      await inCommit.flush()
      await signals.close()
      await db.destroy()
    },
  }
}

const tables = {
  workspaces,
  sessions,
  folders,
  messages,
  agents,
  runs,
  frames,
  asks,
  calls,
  usage,
  definitions: (context: StoreContext) => records(context, 'definition'),
  settings,
  signals,
} satisfies { [Name in keyof Omit<Store, 'transaction' | 'close'>]: (context: StoreContext) => Store[Name] }

/** Returns the transaction behind the store that `transaction(work)` gives to `work`. */
export function transactionOf(inside: Store): Db {
  return (inside as unknown as InsideStore).context.db
}

function nouns(context: StoreContext): Omit<Store, 'transaction' | 'close'> {
  const entries = Object.entries(tables).map(([name, open]) => [name, open(context)])
  return Object.fromEntries(entries) as Omit<Store, 'transaction' | 'close'>
}

/** Store of a transaction. Opens each part on first use, since a transaction uses only a few. */
class InsideStore {
  readonly context: StoreContext

  constructor(context: StoreContext) {
    this.context = context
  }

  /** A nested transaction joins the outer one. */
  transaction<T>(work: (inside: Store) => Promise<T>): Promise<T> {
    return work(this as unknown as Store)
  }

  close(): Promise<void> {
    return Promise.reject(new Error('A store cannot be closed from inside its own transaction.'))
  }
}

for (const [name, open] of Object.entries(tables))
  Object.defineProperty(InsideStore.prototype, name, {
    get(this: InsideStore) {
      const value = open(this.context)
      Object.defineProperty(this, name, { value })
      return value
    },
  })

/** Runs the callback in a transaction. Concurrent callers may share one commit. */
export interface Commit {
  /** `canWait`: joins the next commit, or makes a separate one a moment later. */
  <T>(work: (transaction: Db) => Promise<T>, canWait?: boolean): Promise<T>
  /** Commits what waits. */
  flush(): Promise<void>
}

const maxWaitMs = 250

/** A larger batch would delay readers. */
const maxPerCommit = 32

interface Job {
  work(transaction: Db): Promise<unknown>
  outcome?: { value: unknown } | { error: unknown }
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * Batches callbacks that wait while the database is busy into one commit, so that under load they share one disk sync.
 * A failed callback is rolled back without affecting the others. A failed commit fails all.
 */
export function createGroupCommit(db: Db): Commit {
  let waiting: Job[] = []
  /** Jobs that wait for others to join. */
  let patient: Job[] = []
  let timer: NodeJS.Timeout | undefined
  let busy: Promise<void> | undefined

  const commit = <T>(work: (transaction: Db) => Promise<T>, canWait = false): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const job: Job = { work, resolve: resolve as Job['resolve'], reject }
      if (canWait) {
        patient.push(job)
        timer ??= setTimeout(() => void flush(), maxWaitMs)
        return
      }
      // First, since they may change what this job reads or removes.
      if (patient.length > 0) waiting.push(...takePatient())
      waiting.push(job)
      busy ??= commitWaiting()
    })
  return Object.assign(commit, { flush })

  function flush(): Promise<void> {
    waiting.push(...takePatient())
    if (waiting.length > 0) busy ??= commitWaiting()
    return busy ?? Promise.resolve()
  }

  function takePatient(): Job[] {
    clearTimeout(timer)
    timer = undefined
    const jobs = patient
    patient = []
    return jobs
  }

  async function commitWaiting(): Promise<void> {
    setWriting(db, true)
    while (waiting.length > 0) await commitTogether()
    setWriting(db, false)
    busy = undefined
  }

  async function commitTogether(): Promise<void> {
    let jobs: Job[] = []
    try {
      await db.transaction().execute(async (transaction) => {
        // Taken late, since more may have arrived during the wait for the connection.
        jobs = waiting.slice(0, maxPerCommit)
        waiting = waiting.slice(maxPerCommit)
        if (jobs.length === 1) await runAlone(jobs[0] as Job, transaction)
        else for (const job of jobs) await runAmongOthers(job, transaction)
      })
    } catch (error) {
      // If the transaction never started, no jobs were taken.
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
  await setSavepoint(transaction, {})
  try {
    job.outcome = { value: await job.work(transaction) }
  } catch (error) {
    job.outcome = { error }
    await rollBack(transaction, {}).catch(() => {
      // The savepoint is gone: the failure, such as a full disk, rolled back the whole transaction.
      throw error
    })
  }
  await release(transaction, {})
}

const setSavepoint = statement(() => sql`savepoint work`)
const rollBack = statement(() => sql`rollback to work`)
const release = statement(() => sql`release work`)
