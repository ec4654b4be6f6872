import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '@troupe/core'
import type { Kysely } from 'kysely'
import type { RunManager } from '../runs/run-manager.ts'
import type { Turns } from '../runs/run-services.ts'
import type { Logger } from '../util/logger.ts'
import type { Engine } from './engine.ts'
import { fenceStore, frameSignal, innerStore, runSignal, stopSignal, turnSignal } from './fenced-store.ts'
import { notHere } from '../runs/not-here.ts'
import { createFrameFeed, type FrameFeed } from './frame-feed.ts'
import { createNodes, type NodeInfo, type Nodes } from './nodes.ts'
import { createSessionLeases, type SessionLeases } from './session-leases.ts'
import type { ClusterTables } from './tables.ts'

export interface ClusterOptions {
  store: Store
  db: Kysely<ClusterTables>
  transactionOf(inside: Store): Kysely<ClusterTables>
  engine: Engine
  /** See `NodesOptions.leaseDb`. */
  leaseDb?: Kysely<ClusterTables> | undefined
  self: Pick<NodeInfo, 'place' | 'labels' | 'version'>
  logger: Logger
  leaseMs?: number
  beatMs?: number
}

/** One node among several. Each chat lives on one node at a time; the others read along and pass requests on. */
export interface Cluster {
  readonly nodes: Nodes
  readonly leases: SessionLeases
  readonly engine: Engine
  readonly feed: FrameFeed
  /** The store for everything on this node. It refuses writes for runs that another node has taken over. */
  readonly store: Store
  /** For the runs of this node. */
  readonly turns: Turns
  /** Joins the nodes, which reach this one at the address, and begins to take turns over. */
  join(url: string, runs: RunManager): Promise<void>
  /** Makes this node the holder, and continues unfinished runs. Returns the holder, which may be another node. */
  adopt(sessionId: string): Promise<string>
  /**
   * Leaves a chat whose runs all wait for a person to the database. Whoever answers brings it back, on any node.
   * Resolves to false if they do not.
   */
  park(sessionId: string): Promise<boolean>
  /** Waits for a chat that is being parked. */
  settled(sessionId: string): Promise<void>
  /** Stops the runs of a chat on whichever node has it. Resolves once they have ended, or after 30 seconds. */
  stop(sessionId: string): Promise<void>
  /** See `Turns.suspend`. For a request whose changes may or may not be stored, too. */
  suspend(sessionId: string): void
  /** Hands all chats to other nodes, each at a safe point or once `graceMs` are over. */
  drain(graceMs: number): Promise<void>
  close(): Promise<void>
}

const pollMs = 1000
const maxPauseMs = 1000
const stopMs = 30_000
const stopAgainMs = 250
const turnsPerTake = 16
/** Completed turns are reported together. */
const endTogetherMs = 50

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { db, engine, logger, transactionOf } = options
  let runs: RunManager | undefined
  const entries = new Map<string, string[]>()
  const adopting = new Map<string, Promise<string>>()
  const parking = new Map<string, Promise<boolean>>()
  const suspended = new Set<string>()
  const stop = new AbortController()
  let ended: string[] = []
  let ending: Promise<void> | undefined
  let taking: Promise<void> | undefined
  /** Turns may have been taken without an answer. */
  let isTakeInDoubt = false

  const nodes = createNodes({
    db,
    leaseDb: options.leaseDb,
    logger,
    self: options.self,
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    onJoin: (id) => engine.join(id),
    onLost() {
      for (const sessionId of leases.held()) lose(sessionId)
      // They belong to the id that this node had.
      entries.clear()
    },
    onDeath: (dead, transaction) => engine.release(dead, transaction),
    onReassigned: () => void store.signals.notify(turnSignal, '').catch(warn('other nodes were not woken')),
  })
  const leases = createSessionLeases(db, nodes)
  const store = fenceStore(options.store, {
    db,
    leases,
    nodes,
    nodeId: () => nodes.self.id,
    transactionOf,
    onFenced: lose,
  })
  const feed = createFrameFeed(db, logger)
  const listening = [
    await store.signals.listen(frameSignal, {
      onSignal: (payload) => feed.wake({ frames: payload.split(','), states: [] }),
      onReconnect: () => feed.wake(),
    }),
    await store.signals.listen(runSignal, {
      onSignal(payload) {
        const [runId = '', sessionId = ''] = payload.split(' ')
        feed.wake({ frames: [runId], states: [runId] })
        feed.changed(sessionId)
      },
      onReconnect: () => undefined,
    }),
    await store.signals.listen(stopSignal, {
      onSignal(sessionId) {
        if (leases.fenceOf(sessionId) !== undefined) void runs?.stop(sessionId).catch(warn('a run was not stopped'))
      },
      onReconnect: () => undefined,
    }),
    await store.signals.listen(turnSignal, { onSignal: () => void takeTurns(), onReconnect: () => void takeTurns() }),
  ]
  let polling: Promise<void> | undefined

  const turns: Turns = {
    async begin(sessionId, inside) {
      turns.assertHeld(sessionId)
      // What is stored from here on would be taken for an unfinished run of an earlier holder.
      if (adopting.has(sessionId)) throw notHere()
      await beginTurn(sessionId, inside)
    },
    assertHeld(sessionId) {
      nodes.assertValid()
      if (leases.fenceOf(sessionId) === undefined || parking.has(sessionId)) throw notHere()
    },
    end(sessionId, left) {
      if (!left) endEntries(sessionId)
    },
    assertValid: () => nodes.assertValid(),
    async answered(sessionId) {
      await parking.get(sessionId)?.catch(() => undefined)
      // The chat was parked while the answer was on its way, so nobody waited for it.
      if (leases.fenceOf(sessionId) === undefined) await offer(sessionId)
    },
    fence: (sessionId) => leases.fenceOf(sessionId),
    suspend,
  }

  return {
    nodes,
    leases,
    engine,
    feed,
    store,
    turns,
    async join(url, given) {
      runs = given
      await nodes.join(url)
      polling = poll()
      void takeTurns()
    },
    adopt,
    async park(sessionId) {
      const work = park(sessionId).finally(() => parking.delete(sessionId))
      parking.set(sessionId, work)
      return work
    },
    async settled(sessionId) {
      await parking.get(sessionId)?.catch(() => undefined)
    },
    suspend,
    async stop(sessionId) {
      const isOver = async (): Promise<boolean> =>
        (await store.runs.ofSession(sessionId)).every(({ endedAt }) => endedAt !== null)
      // The chat may change hands meanwhile.
      const until = performance.now() + stopMs
      for (; performance.now() < until && !(await isOver()); await delay(stopAgainMs)) {
        if ((await adopt(sessionId)) === nodes.self.id) await runs?.stop(sessionId)
        else await store.signals.notify(stopSignal, sessionId)
      }
    },
    async drain(graceMs) {
      await nodes.drain()
      stop.abort()
      await polling
      await Promise.allSettled(parking.values())
      const now = AbortSignal.timeout(graceMs)
      // Requests that were under way may have begun a turn meanwhile.
      while (leases.held().length > 0) {
        const busy = [...entries.keys()]
        await leases.release(leases.held().filter((id) => !entries.has(id)))
        await Promise.all(busy.map((sessionId) => giveAway(sessionId, now)))
      }
      await store.signals.notify(turnSignal, '')
    },
    async close() {
      stop.abort()
      await polling
      await taking
      await Promise.allSettled(adopting.values())
      await flushEnded()
      await Promise.all(listening.map((close) => close()))
      feed.close()
      await leases.release(leases.held())
      await nodes.close()
      await engine.close()
    },
  }

  async function beginTurn(sessionId: string, inside: Store): Promise<void> {
    // Known before the first wait, so that this node does not give the chat away meanwhile.
    if (!entries.has(sessionId)) entries.set(sessionId, [])
    const node = nodes.self.id
    const id = await engine.begin(sessionId, innerStore(inside)).catch((error: unknown) => {
      // The queue of a lost id is removed.
      throw nodes.checkValid() && nodes.self.id === node ? error : notHere()
    })
    entries.set(sessionId, [...(entries.get(sessionId) ?? []), id])
  }

  function warn(message: string): (error: unknown) => void {
    return (error) => logger({ level: 'warn', message, error: String(error) })
  }

  /** Another node has the chat. Whatever still runs here ends without a trace. */
  function lose(sessionId: string): void {
    leases.lose(sessionId)
    entries.delete(sessionId)
    runs?.abandon(sessionId)
  }

  function adopt(sessionId: string): Promise<string> {
    if (leases.fenceOf(sessionId) !== undefined && !adopting.has(sessionId)) return Promise.resolve(nodes.self.id)
    const known = adopting.get(sessionId)
    if (known !== undefined) return known
    const work = claim(sessionId).finally(() => adopting.delete(sessionId))
    adopting.set(sessionId, work)
    return work
  }

  function suspend(sessionId: string): void {
    // Its turns stay begun.
    const kept = entries.get(sessionId)
    lose(sessionId)
    if (!nodes.isValid()) return
    if (kept !== undefined) entries.set(sessionId, kept)
    if (suspended.has(sessionId)) return
    suspended.add(sessionId)
    void resume(sessionId).finally(() => suspended.delete(sessionId))
  }

  /** If this node stops or loses its lease meanwhile, another finds the turns in the queue. */
  async function resume(sessionId: string): Promise<void> {
    for (let pauseMs = 50; nodes.isValid(); pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined)
      if (stop.signal.aborted) return
      try {
        const holder = await adopt(sessionId)
        // It may have been suspended again meanwhile.
        if (holder !== nodes.self.id || leases.fenceOf(sessionId) !== undefined) return
      } catch (error) {
        warn('a chat could not be taken up again')(error)
      }
    }
  }

  async function claim(sessionId: string): Promise<string> {
    const holder = await leases.claim(sessionId)
    if (holder !== nodes.self.id) return holder
    try {
      await takeRuns(sessionId)
    } catch (error) {
      // Some of the runs may be live. Only another claim makes that certain.
      suspend(sessionId)
      throw error
    }
    return holder
  }

  /** Continues the unfinished runs of a chat that this node just claimed. */
  async function takeRuns(sessionId: string): Promise<void> {
    const records = await store.runs.ofSession(sessionId)
    if (records.every(({ endedAt }) => endedAt !== null)) return endEntries(sessionId)
    if (!entries.has(sessionId)) await store.transaction((inside) => beginTurn(sessionId, inside))
    await runs?.recover(sessionId)
  }

  async function poll(): Promise<void> {
    while (!stop.signal.aborted) {
      await delay(pollMs, undefined, { signal: stop.signal }).catch(() => undefined)
      await takeTurns()
    }
  }

  /** Takes up what dead and draining nodes left. */
  function takeTurns(): Promise<void> {
    if (runs === undefined || stop.signal.aborted || !nodes.isValid()) return Promise.resolve()
    return (taking ??= takeAll()
      .catch(warn('turns of other nodes could not be taken up'))
      .finally(() => (taking = undefined)))
  }

  async function takeAll(): Promise<void> {
    if (isTakeInDoubt) {
      const known = new Set([...entries.values()].flat())
      const unknown = (await engine.begun()).filter(({ id }) => !known.has(id))
      await Promise.all(unknown.map(({ id, sessionId }) => takeUp(id, sessionId)))
    }
    for (;;) {
      isTakeInDoubt = true
      const taken = await engine.take(turnsPerTake)
      isTakeInDoubt = false
      await Promise.all(taken.map(({ id, sessionId }) => takeUp(id, sessionId)))
      if (taken.length < turnsPerTake || stop.signal.aborted) return
    }
  }

  async function takeUp(id: string, sessionId: string): Promise<void> {
    entries.set(sessionId, [...(entries.get(sessionId) ?? []), id])
    try {
      const holder = await adopt(sessionId)
      const states = holder === nodes.self.id ? await runs?.states([sessionId]) : undefined
      // Another node was faster, or everything had ended. A message that just arrived may have begun another turn.
      if ((states?.get(sessionId) ?? []).length === 0) endEntries(sessionId, id)
    } catch (error) {
      warn('a turn of another node could not be continued')(error)
      suspend(sessionId)
    }
  }

  /** Ends all turns of a chat, or only one. */
  function endEntries(sessionId: string, only?: string): void {
    const all = entries.get(sessionId) ?? []
    const rest = only === undefined ? [] : all.filter((id) => id !== only)
    if (rest.length > 0) entries.set(sessionId, rest)
    else entries.delete(sessionId)
    ended.push(...all.filter((id) => !rest.includes(id)))
    if (ended.length > 0) ending ??= delay(endTogetherMs).then(flushEnded)
  }

  async function flushEnded(): Promise<void> {
    const ids = ended
    ended = []
    ending = undefined
    await engine.end(ids).catch((error: unknown) => {
      // They stay in the queue of this node, and the next report includes them.
      ended.push(...ids)
      warn('ended turns were not reported')(error)
    })
  }

  async function park(sessionId: string): Promise<boolean> {
    if ((await runs?.park(sessionId)) !== true) return false
    const mine = entries.get(sessionId)
    entries.delete(sessionId)
    await leases.release([sessionId])
    if (mine !== undefined) await engine.end(mine)
    return true
  }

  /** Any node of this place may continue the chat. */
  async function offer(sessionId: string): Promise<void> {
    const { place } = nodes.self
    await options.store.transaction((inside) => engine.offer({ sessionId, place }, inside))
    await store.signals.notify(turnSignal, '')
  }

  async function giveAway(sessionId: string, now: AbortSignal): Promise<void> {
    await runs?.handOver([sessionId], now)
    const mine = entries.get(sessionId)
    // The turn may have ended by itself.
    if (mine === undefined) return leases.release([sessionId])
    entries.delete(sessionId)
    await leases.release([sessionId])
    await offer(sessionId)
    await engine.end(mine)
  }
}
