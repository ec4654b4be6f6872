import type { SearchIndex } from './sql/context.ts'
import type { Store } from '@troupe/core'
import { createKeyedMutex } from '../in-turn.ts'
import { agents } from './sql/agents.ts'
import { asks } from './sql/asks.ts'
import type { StoreChange, StoreContext, Db, Log } from './sql/context.ts'
import { calls } from './sql/calls.ts'
import { createGroupCommit } from './sql/create-commits.ts'
import { folders } from './sql/folders.ts'
import { frames } from './sql/frames.ts'
import { purgeHiddenSessions } from './sql/hidden-sessions.ts'
import { messages } from './sql/messages.ts'
import { records, settings } from './sql/records.ts'
import { createRestore } from './sql/restore.ts'
import type { RestoreResult, SessionBundle } from './sql/restore.ts'
import { runs } from './sql/runs.ts'
import { sessions } from './sql/sessions.ts'
import { workspaces } from './sql/workspaces.ts'

/** Keeps the readable files in step with the database. */
export interface Exporter {
  /** Inside the transaction: what must be known after a crash. */
  beforeCommit(db: Db, changes: StoreChange[]): Promise<void>
  /** Resolves when the files say what was committed. Never rejects: what fails is logged and mended later. */
  afterCommit(changes: StoreChange[]): Promise<void>
}

export interface SqlStoreOptions {
  db: Db
  search: SearchIndex
  exporter: Exporter
  clock: () => number
  log: Log
}

export interface SqlStore extends Store {
  /** Takes in a session from outside, see `importSessions`. */
  restore(bundle: SessionBundle, options?: { signal?: AbortSignal }): Promise<RestoreResult>
  /** Removes what imports and deletions that a crash cut off have left. */
  purgeHidden(): Promise<void>
}

/**
 * The store on any SQL database that Kysely speaks to. Inside `transaction(work)` only the store handed to `work` may
 * be used: where there is one connection, the outer one waits for the transaction's end.
 */
export function createSqlStore(options: SqlStoreOptions): SqlStore {
  const { db, search, clock, log, exporter } = options
  const inCommit = createGroupCommit(db)

  /** One commit, then its export. */
  async function commit<T>(work: (context: StoreContext, changes: StoreChange[]) => Promise<T>): Promise<T> {
    const changes: StoreChange[] = []
    const result = await inCommit(async (transaction) => {
      let ended = false
      const inside: StoreContext = {
        get db() {
          if (ended) throw new Error('This transaction has ended; await every call inside it.')
          return transaction
        },
        search,
        clock,
        log,
        write: (work) => work(inside.db, changes),
        // The transaction has everything to itself.
        inTurn: (_, work) => work(),
      }
      try {
        const result = await work(inside, changes)
        if (changes.length > 0) await exporter.beforeCommit(transaction, changes)
        return result
      } finally {
        ended = true
      }
    })
    if (changes.length > 0) await exporter.afterCommit(changes)
    return result
  }

  const outside: StoreContext = {
    db,
    search,
    clock,
    log,
    write: (work) => commit((inside, changes) => work(inside.db, changes)),
    inTurn: createKeyedMutex(),
  }
  return {
    ...nouns(outside),
    restore: createRestore(outside),
    purgeHidden: () => purgeHiddenSessions(outside),
    transaction: (work) => commit((inside) => work(insideStore(inside))),
    close: () => db.destroy(),
  }
}

/** A transaction inside a transaction joins the outer one. */
function insideStore(context: StoreContext): Store {
  const store: Store = {
    ...nouns(context),
    transaction: (work) => work(store),
    close: () => Promise.reject(new Error('A store cannot be closed from inside its own transaction.')),
  }
  return store
}

function nouns(context: StoreContext): Omit<Store, 'transaction' | 'close'> {
  return {
    workspaces: workspaces(context),
    sessions: sessions(context),
    folders: folders(context),
    messages: messages(context),
    agents: agents(context),
    runs: runs(context),
    frames: frames(context),
    asks: asks(context),
    calls: calls(context),
    definitions: records(context, 'definition'),
    settings: settings(context),
  }
}
