import type { RunStatus } from '@troupe/core'
import type { Frame, LogItem } from '@troupe/protocol'
import { type Kysely, sql } from 'kysely'
import type { Logger } from '../util/logger.ts'
import type { ClusterTables } from './tables.ts'

/** A run whose log this node follows. */
export interface Follower {
  readonly runId: string
  /** Everything up to this number has arrived. */
  readonly number: number
  /** Gets frames in order, each once. */
  onFrames(frames: readonly Frame[]): void
  /** The state of the run, undefined if it was deleted. All frames before this state have arrived. */
  onState(status: RunStatus | undefined): void
}

/** Follows the logs of runs on other nodes: one query for all runs that a signal names. */
export interface FrameFeed {
  follow(follower: Follower): () => void
  /** Calls back when a run of the session starts, waits, continues or ends. */
  onRun(sessionId: string, listener: () => void): () => void
  /** Called with the session of a run that changed. */
  changed(sessionId: string): void
  /** Called with the runs that have new frames or another state. Without a list, all are read. */
  wake(changed?: { frames: readonly string[]; states: readonly string[] }): void
  close(): void
}

/** Finds what a lost signal would have told. */
const pollMs = 2000
/** Bounds the memory of one read. A run with more frames is read again. */
const framesPerRead = 2000

export function createFrameFeed(db: Kysely<ClusterTables>, logger: Logger): FrameFeed {
  const followers = new Map<string, Set<Follower>>()
  const listeners = new Map<string, Set<() => void>>()
  let framesOf = new Set<string>()
  let statesOf = new Set<string>()
  let reading: Promise<void> | undefined
  const timer = setInterval(() => wake(), pollMs).unref()

  return {
    follow(follower) {
      const others = followers.get(follower.runId) ?? new Set()
      followers.set(follower.runId, others.add(follower))
      wake({ frames: [follower.runId], states: [follower.runId] })
      return () => {
        others.delete(follower)
        if (others.size === 0 && followers.get(follower.runId) === others) followers.delete(follower.runId)
      }
    },
    onRun(sessionId, listener) {
      const others = listeners.get(sessionId) ?? new Set()
      listeners.set(sessionId, others.add(listener))
      return () => {
        others.delete(listener)
        if (others.size === 0 && listeners.get(sessionId) === others) listeners.delete(sessionId)
      }
    },
    changed(sessionId) {
      for (const listener of listeners.get(sessionId) ?? []) listener()
    },
    wake,
    close: () => clearInterval(timer),
  }

  function wake(changed?: { frames: readonly string[]; states: readonly string[] }): void {
    for (const id of changed?.frames ?? followers.keys()) if (followers.has(id)) framesOf.add(id)
    for (const id of changed?.states ?? followers.keys()) if (followers.has(id)) statesOf.add(id)
    if (framesOf.size + statesOf.size > 0) reading ??= readAll().finally(() => (reading = undefined))
  }

  async function readAll(): Promise<void> {
    while (framesOf.size + statesOf.size > 0) {
      const states = statesOf
      const wanted = [...new Set([...framesOf, ...states])].flatMap((id) => [...(followers.get(id) ?? [])])
      framesOf = new Set()
      statesOf = new Set()
      let found: Map<string, RunStatus>
      let isComplete: boolean
      try {
        // A run stores its frames before its state, so a state must be read before the frames.
        found = await readStates(states)
        isComplete = await deliver(wanted)
      } catch (error) {
        // The next signal or poll reads the same numbers again.
        logger({ level: 'warn', message: 'the logs of other nodes could not be read', error: String(error) })
        return
      }
      if (isComplete)
        for (const id of states) for (const follower of followers.get(id) ?? []) follower.onState(found.get(id))
      else for (const id of states) statesOf.add(id)
    }
  }

  async function readStates(runIds: ReadonlySet<string>): Promise<Map<string, RunStatus>> {
    if (runIds.size === 0) return new Map()
    const { rows } = await sql<{ id: string; status: RunStatus }>`
      select id, status from run where id = any(${[...runIds]}::text[])`.execute(db)
    return new Map(rows.map(({ id, status }) => [id, status]))
  }

  /** Returns false if there are more frames. */
  async function deliver(wanted: readonly Follower[]): Promise<boolean> {
    if (wanted.length === 0) return true
    const lowest = new Map<string, number>()
    for (const { runId, number } of wanted) lowest.set(runId, Math.min(number, lowest.get(runId) ?? number))
    const { rows } = await sql<FrameRow>`
      select frame.run_id, frame.seq, frame.from_number, frame.to_number, frame.items
      from unnest(${[...lowest.keys()]}::text[], ${[...lowest.values()]}::bigint[]) as wanted (run_id, after)
      join frame on frame.run_id = wanted.run_id and frame.to_number > wanted.after
      order by frame.run_id, frame.seq
      limit ${framesPerRead}`.execute(db)
    const frames = Map.groupBy(rows.map(toFrame), ({ runId }) => runId)
    for (const follower of wanted) {
      const news = (frames.get(follower.runId) ?? []).filter(({ to }) => to > follower.number)
      if (news.length > 0) follower.onFrames(news)
    }
    const isComplete = rows.length < framesPerRead
    if (!isComplete) for (const id of lowest.keys()) framesOf.add(id)
    return isComplete
  }
}

interface FrameRow {
  run_id: string
  seq: number
  from_number: number
  to_number: number
  items: string
}

function toFrame(row: FrameRow): Frame {
  return {
    runId: row.run_id,
    seq: row.seq,
    from: row.from_number,
    to: row.to_number,
    items: JSON.parse(row.items) as LogItem[],
  }
}
