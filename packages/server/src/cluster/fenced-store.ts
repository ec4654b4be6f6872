import type { RunRecord, Store } from '@troupe/core'
import type { Frame } from '@troupe/protocol'
import { type Kysely, sql } from 'kysely'
import { setTimeout as delay } from 'node:timers/promises'
import { isServerFault } from '../util/storage-fault.ts'
import { notHere } from '../runs/not-here.ts'
import type { Nodes } from './nodes.ts'
import type { SessionLeases } from './session-leases.ts'
import type { ClusterTables } from './tables.ts'

interface FenceOptions {
  db: Kysely<ClusterTables>
  leases: Pick<SessionLeases, 'isLost' | 'moment'>
  nodes: Pick<Nodes, 'checkValid'>
  /** The id of this node now. It gets a new one when it loses its lease. */
  nodeId(): string
  /** The SQL transaction behind the store that `transaction(work)` gives to `work`. */
  transactionOf(inside: Store): Kysely<ClusterTables>
  /** Another node has the chat. */
  onFenced(sessionId: string): void
}

/** Channels of signals. */
export const frameSignal = 'troupe_frames'
export const runSignal = 'troupe_runs'
export const turnSignal = 'troupe_turns'
export const stopSignal = 'troupe_stops'

/**
 * The store of a node. What the node writes for the runs of a chat is written only while it holds that chat. The lease
 * is checked in the same transaction, under a lock that a claim by another node must wait for, so no late write of a
 * paused or separated node gets through. Throws `NotHere`.
 */
export function fenceStore<S extends Store>(store: S, options: FenceOptions): S {
  const { db, leases, nodes, nodeId, transactionOf, onFenced } = options
  return {
    ...store,
    ...guardNouns(store, (sessionId, write) => {
      const since = leases.moment()
      return store.transaction((inside) => guarded({ inside, sessionId, since }, write))
    }),
    frames: { ...store.frames, append },
    transaction(work, given) {
      const since = leases.moment()
      return store.transaction((inside) => work(insideStore(inside, since)), given)
    },
  }

  function insideStore(inside: Store, since: number): Store {
    const fenced: Store = {
      ...nounsOf(inside),
      ...guardNouns(inside, (sessionId, write) => guarded({ inside, sessionId, since }, write)),
      transaction: (work) => work(fenced),
      close: () => inside.close(),
    } as Store
    // The cluster's own writes of the same commit need the transaction behind it.
    insides.set(fenced, inside)
    return fenced
  }

  /** A transaction may be tried again after this node lost the chat and took it again, which makes it a late one. */
  async function guarded<T>(
    { inside, sessionId, since }: { inside: Store; sessionId: string; since: number },
    write: (store: Store) => Promise<T>,
  ): Promise<T> {
    if (leases.isLost(sessionId, since)) throw notHere()
    const { rows } = await sql<{ node_id: string }>`
      select node_id from session_lease where session_id = ${sessionId} for share`.execute(transactionOf(inside))
    const holder = rows[0]?.node_id ?? ''
    // A chat that nobody holds is changed by imports and the like.
    if (holder === nodeId() || holder === '') return write(inside)
    onFenced(sessionId)
    throw notHere()
  }

  /** Tries again while the server fails, until this node has lost its lease and its runs continue elsewhere. */
  async function append(frames: Frame[], begun: RunRecord[] = []): Promise<string[]> {
    if (begun.length > 0) throw new Error('In a cluster, runs are stored before their frames.')
    // A later id of this node does not own these frames.
    const id = nodeId()
    for (let pauseMs = 50, tries = 1; ; pauseMs = Math.min(2 * pauseMs, 500), tries++) {
      if (!nodes.checkValid() || nodeId() !== id) return runsOf(frames)
      try {
        // A statement without an answer may have been executed.
        return await insert(tries === 1 ? frames : await unstored(frames), id)
      } catch (error) {
        if (!isServerFault(error)) throw error
        await delay(pauseMs)
      }
    }
  }

  async function unstored(frames: Frame[]): Promise<Frame[]> {
    const { rows } = await sql<{ run_id: string; seq: number; to_number: number }>`
      select frame.run_id, frame.seq, frame.to_number
      from unnest(${frames.map(({ runId }) => runId)}::text[], ${frames.map(({ seq }) => seq)}::bigint[])
        as new (run_id, seq)
      join frame on frame.run_id = new.run_id and frame.seq = new.seq`.execute(db)
    const stored = new Set(rows.map((row) => `${row.run_id} ${row.seq} ${row.to_number}`))
    return frames.filter(({ runId, seq, to }) => !stored.has(`${runId} ${seq} ${to}`))
  }

  /** One statement for the frames of all runs, with the signal to their readers. Returns runs that are not held here. */
  async function insert(frames: Frame[], owner: string): Promise<string[]> {
    if (frames.length === 0) return []
    const column = <T>(of: (frame: Frame) => T): T[] => frames.map(of)
    const ids = runsOf(frames)
    const { rows } = await sql<{ run_id: string }>`
      with held as (
        select run.id, run.session_id from session_lease join run on run.session_id = session_lease.session_id
        where run.id = any(${ids}::text[])
          and session_lease.node_id = ${owner}
        order by session_lease.session_id, run.id
        for share of session_lease
      ), stored as (
        insert into frame (run_id, seq, from_number, to_number, items)
        select new.run_id, new.seq, new.from_number, new.to_number, new.items
        from unnest(
          ${column(({ runId }) => runId)}::text[],
          ${column(({ seq }) => seq)}::bigint[],
          ${column(({ from }) => from)}::bigint[],
          ${column(({ to }) => to)}::bigint[],
          ${column(({ items }) => JSON.stringify(items))}::text[]
        ) as new (run_id, seq, from_number, to_number, items)
        join held on held.id = new.run_id
        returning run_id
      )
      select distinct run_id from stored
      union all
      select pg_notify(${frameSignal}, part)::text from unnest(${signalParts(ids)}::text[]) as part
      where exists (select 1 from stored)`.execute(db)
    const written = new Set(rows.map(({ run_id }) => run_id))
    const refused = ids.filter((id) => !written.has(id))
    if (refused.length > 0) await tellFenced(refused)
    return refused
  }

  async function tellFenced(runIds: readonly string[]): Promise<void> {
    const { rows } = await sql<{ session_id: string }>`
      select distinct session_id from run where id = any(${runIds}::text[])`.execute(db)
    for (const { session_id } of rows) onFenced(session_id)
  }
}

function runsOf(frames: readonly Frame[]): string[] {
  return [...new Set(frames.map(({ runId }) => runId))]
}

/** A signal has room for about 200 ids. */
const idsPerSignal = 100

function signalParts(ids: readonly string[]): string[] {
  const count = Math.ceil(ids.length / idsPerSignal)
  return Array.from({ length: count }, (_, i) => ids.slice(i * idsPerSignal, (i + 1) * idsPerSignal).join(','))
}

/** The stores of transactions by what wraps them. */
const insides = new WeakMap<Store, Store>()

/** Returns the store behind one that `transaction(work)` of a fenced store gave to `work`. */
export function innerStore(inside: Store): Store {
  return insides.get(inside) ?? inside
}

type Guard = <T>(sessionId: string, write: (store: Store) => Promise<T>) => Promise<T>

/** The writes of a run, each with a check that this node holds the chat. Readers elsewhere hear of a changed run. */
function guardNouns(store: Store, guard: Guard): Pick<Store, 'messages' | 'agents' | 'runs' | 'asks'> {
  const guardAsk = async <T>(id: string, write: (inside: Store) => Promise<T>): Promise<T> => {
    const ask = await store.asks.get(id)
    return ask === undefined ? write(store) : guard(ask.sessionId, write)
  }
  return {
    messages: {
      ...store.messages,
      add: (at, ...rest) => guard(at.sessionId, (inside) => inside.messages.add(at, ...rest)),
      replace: (at, ...rest) => guard(at.sessionId, (inside) => inside.messages.replace(at, ...rest)),
    },
    agents: {
      ...store.agents,
      put: (agent) => guard(agent.sessionId, (inside) => inside.agents.put(agent)),
    },
    runs: {
      ...store.runs,
      put: (run) =>
        guard(run.sessionId, async (inside) => {
          await inside.runs.put(run)
          await inside.signals.notify(runSignal, `${run.id} ${run.sessionId}`)
        }),
    },
    asks: {
      ...store.asks,
      open: (ask) => guard(ask.sessionId, (inside) => inside.asks.open(ask)),
      // An answer must reach the node whose run waits for it. If no node has the chat, the next one finds the answer.
      answer: (id, answer) => guardAsk(id, (inside) => inside.asks.answer(id, answer)),
      close: (id) => guardAsk(id, (inside) => inside.asks.close(id)),
    },
  }
}

/** The store of a transaction opens each noun on first use, so they are not its own properties. */
function nounsOf(inside: Store): Partial<Store> {
  const names = [
    'workspaces',
    'sessions',
    'folders',
    'messages',
    'agents',
    'runs',
    'frames',
    'calls',
    'usage',
    'asks',
    'definitions',
    'settings',
    'signals',
  ] as const
  return Object.fromEntries(names.map((name) => [name, inside[name]]))
}
