import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '@troupe/core'
import type { Kysely } from 'kysely'
import type { RunManager } from '../runs/run-manager.ts'
import type { Turns } from '../runs/run-services.ts'
import type { Logger } from '../util/logger.ts'
import type { Engine } from './engine.ts'
import { fenceStore, frameSignal, innerStore, runSignal, turnSignal } from './fenced-store.ts'
import { notHere } from './not-here.ts'
import { createFrameFeed, type FrameFeed } from './frame-feed.ts'
import { createNodes, type NodeInfo, type Nodes } from './nodes.ts'
import { createSessionLeases, type SessionLeases } from './session-leases.ts'
import type { ClusterTables } from './tables.ts'

export interface ClusterOptions {
  store: Store
  db: Kysely<ClusterTables>
  transactionOf(inside: Store): Kysely<ClusterTables>
  engine: Engine
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
  /** Hands all chats to other nodes, each at a safe point or once `graceMs` are over. */
  drain(graceMs: number): Promise<void>
  close(): Promise<void>
}

const pollMs = 1000
const turnsPerTake = 16
/** A turn that cannot be continued at the moment is offered again after this time. */
const retryMs = 5000
/** Completed turns are reported together. */
const endTogetherMs = 50

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { db, engine, logger, transactionOf } = options
  let runs: RunManager | undefined
  const entries = new Map<string, string[]>()
  const adopting = new Map<string, Promise<string>>()
  const parking = new Map<string, Promise<boolean>>()
  const stop = new AbortController()
  let ended: string[] = []
  let ending: Promise<void> | undefined
  let taking: Promise<void> | undefined

  const nodes = createNodes({
    db,
    logger,
    self: options.self,
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    onJoin: (id) => engine.join(id),
    onLost() {
      for (const sessionId of leases.held()) lose(sessionId)
    },
    onDeath: (dead, transaction) => engine.release(dead, transaction),
    onReassigned: () => void store.signals.notify(turnSignal, '').catch(warn('other nodes were not woken')),
  })
  const leases = createSessionLeases(db, nodes)
  const store = fenceStore(options.store, {
    db,
    leases,
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
    await store.signals.listen(turnSignal, { onSignal: () => void takeTurns(), onReconnect: () => void takeTurns() }),
  ]
  let polling: Promise<void> | undefined

  const turns: Turns = {
    async begin(sessionId, inside) {
      turns.assertHeld(sessionId)
      // Known before the first wait, so that this node does not give the chat away meanwhile.
      if (!entries.has(sessionId)) entries.set(sessionId, [])
      const id = await engine.begin(sessionId, innerStore(inside))
      entries.set(sessionId, [...(entries.get(sessionId) ?? []), id])
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

  async function claim(sessionId: string): Promise<string> {
    const holder = await leases.claim(sessionId)
    if (holder !== nodes.self.id) return holder
    const records = await store.runs.ofSession(sessionId)
    if (records.every(({ endedAt }) => endedAt !== null)) return holder
    const isKnown = entries.has(sessionId)
    if (!isKnown) await store.transaction((inside) => turns.begin(sessionId, inside))
    try {
      await runs?.recover(sessionId)
    } catch (error) {
      runs?.abandon(sessionId)
      if (!isKnown) endEntries(sessionId)
      await leases.release([sessionId])
      throw error
    }
    return holder
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
    for (;;) {
      const taken = await engine.take(turnsPerTake)
      await Promise.all(taken.map(({ id, sessionId }) => takeUp(id, sessionId)))
      if (taken.length < turnsPerTake || stop.signal.aborted) return
    }
  }

  async function takeUp(id: string, sessionId: string): Promise<void> {
    entries.set(sessionId, [...(entries.get(sessionId) ?? []), id])
    try {
      const holder = await adopt(sessionId)
      const states = holder === nodes.self.id ? await runs?.states([sessionId]) : undefined
      // Another node was faster, or everything had ended.
      if ((states?.get(sessionId) ?? []).length === 0) endEntries(sessionId)
    } catch (error) {
      warn('a turn of another node could not be continued')(error)
      void offerAgain(sessionId).catch(warn('a turn could not be offered again'))
    }
  }

  /** Until then the entry of this node keeps the turn, in case the node dies. */
  async function offerAgain(sessionId: string): Promise<void> {
    await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined)
    const mine = entries.get(sessionId)
    if (mine === undefined || leases.fenceOf(sessionId) !== undefined || stop.signal.aborted) return
    entries.delete(sessionId)
    await offer(sessionId)
    await engine.end(mine)
  }

  function endEntries(sessionId: string): void {
    ended.push(...(entries.get(sessionId) ?? []))
    entries.delete(sessionId)
    ending ??= delay(endTogetherMs).then(flushEnded)
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
