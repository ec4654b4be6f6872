import type { Store } from '@troupe/core'
import type { Kysely } from 'kysely'
import type { Logger } from '../util/logger.ts'
import type { ClusterTables } from './tables.ts'

/**
 * The queue of turns: what a node works on, and what another must take over. A turn is everything that runs in one chat
 * until no answer is unfinished. Verified by one contract test for every implementation.
 */
export interface Engine {
  /** Creates the queue of a node, before it appears to the others. */
  join(nodeId: string): Promise<void>
  /** Records that this node works on a turn, in the caller's transaction. Returns the id of the entry. */
  begin(sessionId: string, inside: Store): Promise<string>
  /** Removes entries of turns that have ended. Entries that were given to another node stay. */
  end(ids: readonly string[]): Promise<void>
  /** Puts a turn in the queue of a place, in the caller's transaction, for any node there to take up. */
  offer(turn: { sessionId: string; place: string }, inside: Store): Promise<void>
  /**
   * Gives all entries of a node to its place, in the caller's transaction. The node can change none of them
   * afterwards.
   */
  release(node: { id: string; place: string }, transaction: unknown): Promise<void>
  /** Takes up to `limit` offered turns of the place for this node. They count as begun. */
  take(limit: number): Promise<TakenTurn[]>
  /** All entries of this node, also those whose `begin` or `take` seemed to fail. */
  begun(): Promise<TakenTurn[]>
  /** Number of offered turns that no node has taken, by place. */
  depth(): Promise<Record<string, number>>
  /** Calls the handler on one node each time the schedule is due. Replaces the schedule of that name. */
  schedule(name: string, cron: string, handler: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export type OpenEngine = (options: EngineOptions) => Promise<Engine>

export interface EngineOptions {
  url: string
  /** Runs the callback in a transaction of its own. */
  inTransaction<T>(work: (transaction: Kysely<ClusterTables>) => Promise<T>): Promise<T>
  /** The SQL transaction behind the store that `transaction(work)` gives to `work`. */
  transactionOf(inside: Store): Kysely<ClusterTables>
  place: string
  logger: Logger
}

export interface TakenTurn {
  id: string
  sessionId: string
}
