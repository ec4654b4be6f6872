import type { Store } from '@troupe/core'
import type { RunManager } from '../runs/run-manager.ts'
import type { Logger } from '../util/logger.ts'
import type { Cluster } from './open-cluster.ts'

interface ParkOptions {
  cluster: Pick<Cluster, 'park' | 'leases'>
  runs: Pick<RunManager, 'all' | 'live'>
  store: Pick<Store, 'asks'>
  states: {
    /** False if a chat has something in memory that another process could not continue with. */
    canLeave(sessionId: string): boolean
    leave(sessionId: string): Promise<void>
  }
  parkMs: number
  logger: Logger
}

const maxSweepMs = 15_000

/**
 * Parks chats that wait for a person for a long time. Their journal has everything. A chat stays if it would lose
 * something: background commands, a working folder, variables, or a request to a page, which has a time limit.
 */
export function parkWaiting(options: ParkOptions): { close(): Promise<void> } {
  const { cluster, runs, store, states, parkMs, logger } = options
  const since = new Map<string, number>()
  let sweeping = Promise.resolve()
  const timer = setInterval(
    () => {
      sweeping = sweeping.then(sweep)
    },
    Math.min(parkMs / 4, maxSweepMs),
  ).unref()
  return {
    async close() {
      clearInterval(timer)
      await sweeping
    },
  }

  async function sweep(): Promise<void> {
    const waiting = new Set(runs.live().flatMap(({ sessionId }) => (isWaiting(sessionId) ? sessionId : [])))
    for (const sessionId of since.keys()) if (!waiting.has(sessionId)) since.delete(sessionId)
    for (const sessionId of waiting) {
      const from = since.get(sessionId) ?? performance.now()
      since.set(sessionId, from)
      if (performance.now() - from < parkMs) continue
      await park(sessionId).catch((error: unknown) =>
        logger({ level: 'warn', message: 'a waiting chat was not parked', session: sessionId, error: String(error) }),
      )
    }
  }

  async function park(sessionId: string): Promise<void> {
    const asks = await store.asks.list({ sessionId, open: true })
    const isForPeople =
      asks.length > 0 && asks.every(({ kind, timeoutMs }) => kind !== 'browser' && timeoutMs === undefined)
    if (!isForPeople || !states.canLeave(sessionId) || !(await cluster.park(sessionId))) return
    since.delete(sessionId)
    // Unless it is already back.
    if (cluster.leases.fenceOf(sessionId) === undefined) await states.leave(sessionId)
  }

  function isWaiting(sessionId: string): boolean {
    const all = runs.all(sessionId)
    return all.length > 0 && all.every(({ status }) => status === 'waiting')
  }
}
