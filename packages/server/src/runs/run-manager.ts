import {
  type AgentDetails,
  type AgentRecord,
  type Ask,
  createWriteLock,
  type RunRecord,
  stopNow,
  type Store,
} from '@troupe/core'
import { NamedError, newId } from '@troupe/protocol'
import type { EarlyAnswer } from './inbox.ts'
import { createCallIds, createLateAnswers } from './journal.ts'
import { ManagedRun } from './live-run.ts'
import { noRun, sessionBusy, shuttingDown } from './run-errors.ts'
import { columnNumbers } from './live-log.ts'
import { type PreparedRun, prepareRun, type RunRequest, runRequestOf } from './prepare-run.ts'
import type { RunServices } from './run-services.ts'
import { notHere } from './not-here.ts'
import { createRecovery } from './recover.ts'
import { withinTime } from '../util/concurrency.ts'
import { createStandaloneAgents } from './standalone-agents.ts'
import type { LiveRun, OpenRun, RunToBegin, RunManager, StartRun } from './run-types.ts'

export type { LiveRun, RunManager } from './run-types.ts'
export type { RunRequest } from './prepare-run.ts'

const closingMs = 10_000

export function createRunManager(services: RunServices): RunManager {
  const { store, inbox } = services
  const runs = new Map<string, readonly OpenRun[]>()
  const children = new Map<string, OpenRun>()
  const opening = new Map<string, Promise<unknown>>()
  const late = createLateAnswers(store)
  const standalone = createStandaloneAgents(services, { openChild, warn })
  const recovery = createRecovery(services, {
    open,
    standalone,
    isLive,
    hasRuns: (sessionId) => runs.has(sessionId),
    onPicked: (messageId) => picked.add(messageId),
    warn,
  })
  const { claimRecovered } = recovery
  /** Ids of live answers that the user continued with, of those that were compared. */
  const picked = new Set<string>()
  /** Shared by the columns of a session, while one is live. */
  const shared = new Map<string, SharedByColumns>()
  const watchers = new Map<string, Set<() => void>>()
  const live = (sessionId: string): readonly OpenRun[] => runs.get(sessionId) ?? []
  const merging = new Set<Promise<void>>()
  /** In a cluster, the fence under which a run was stored. */
  const fences = new WeakMap<RunRecord, number>()
  let closing = false

  return {
    start(given) {
      const sessionId = given.session.id
      if (closing) return Promise.reject(shuttingDown(services.turns !== undefined))
      if (opening.has(sessionId)) return Promise.reject(sessionBusy(live(sessionId)[0]))
      const started = start(given).finally(() => opening.delete(sessionId))
      opening.set(sessionId, started)
      return started
    },
    store: (given, inside) => storeRun(given, inside),
    withdraw: (record, error) => (error === undefined ? recovery.interrupt(record) : recovery.fail(record, error)),
    get: (sessionId, messageId) =>
      messageId === undefined ? live(sessionId)[0] : live(sessionId).find((run) => run.messageId === messageId),
    all: live,
    live: () => [...runs.values()].flat(),
    watch(sessionId, onChange) {
      const others = watchers.get(sessionId) ?? new Set()
      watchers.set(sessionId, others.add(onChange))
      return () => {
        others.delete(onChange)
        if (others.size === 0 && watchers.get(sessionId) === others) watchers.delete(sessionId)
      }
    },
    async pick(sessionId, messageId, others) {
      const chosen = live(sessionId).find((run) => run.messageId === messageId)
      if (chosen !== undefined) picked.add(messageId)
      const rest = live(sessionId).filter((run) => others.includes(run.messageId))
      for (const run of rest) run.abort(stopNow())
      await Promise.allSettled(rest.map((run) => run.done))
      await services.pickState(sessionId, messageId, others)
      tellWatchers(sessionId)
    },
    getAgent: (sessionId, agentId) => children.get(childKey(sessionId, agentId)),
    async stopAgent(sessionId, agentId) {
      for (const root of live(sessionId)) if ((await root.stopAgent(agentId)) !== undefined) return true
      const alone = children.get(childKey(sessionId, agentId))
      alone?.abort(stopNow())
      await alone?.done
      return alone !== undefined
    },
    async messageAgent(session, agentId, message) {
      const agent = await store.agents.get(session.id, agentId)
      if (agent?.details === undefined)
        throw new NamedError('AgentNotFound', 'This sub-agent does not exist.', { status: 404 })
      const root = rootOf(session.id, agent.details)
      const alone = children.get(childKey(session.id, agentId))
      const { id, text } = message
      if (root !== undefined) await root.messageAgent(agentId, { id, text })
      else if (alone !== undefined) await alone.steer({ id, text })
      else await standalone.goOn(session, agent as AgentRecord & { details: AgentDetails }, message)
    },
    async stop(sessionId, messageId) {
      await opening.get(sessionId)?.catch(() => undefined)
      const agents = alone(sessionId)
      const stopped = live(sessionId).filter((run) => messageId === undefined || run.messageId === messageId)
      const [first] = stopped
      if (first === undefined) {
        if (messageId !== undefined) return undefined
        for (const child of agents) child.abort(stopNow())
        await Promise.allSettled(agents.map((child) => child.done))
        return undefined
      }
      const begun = performance.now()
      for (const run of stopped) run.abort(stopNow())
      await Promise.all(stopped.map((run) => run.done))
      // They were handed over or parked at that moment, so they still have to be stopped.
      if (stopped.some(({ left }) => left)) throw notHere()
      return { runId: first.id, ms: Math.round(performance.now() - begun) }
    },
    async steer(sessionId, message) {
      const told = await Promise.allSettled(live(sessionId).map((run) => run.steer(message)))
      const refused = told.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
      if (refused.length === told.length) throw refused[0] ?? noRun()
    },
    async answer(askId, answer, given) {
      const answered = await inbox.answer(askId, answer, given)
      await markRunning(answered)
      await services.turns?.answered(answered.sessionId)
      return answered
    },
    async acknowledge(early) {
      const all = live(early.sessionId)
      const result = await inbox.acknowledge(early, all.find(({ client }) => client === early.client) ?? all[0])
      if (result === 'resolved') await markCallRunning(early)
      return result
    },
    recover: recovery.recover,
    closed,
    async assertFree(sessionId, messageId) {
      await closed(sessionId)
      const busy = live(sessionId).find((run) => messageId === undefined || run.messageId === messageId)
      if (busy !== undefined) throw sessionBusy(busy)
    },
    async handOver(sessionIds, now) {
      await Promise.allSettled(sessionIds.flatMap((id) => opening.get(id) ?? []))
      await Promise.all(sessionIds.flatMap((id) => [...live(id), ...alone(id)]).map((run) => run.handOver(now)))
    },
    async park(sessionId) {
      const all = [...live(sessionId), ...alone(sessionId)]
      const isWaiting = live(sessionId).length > 0 && all.every(({ status }) => status === 'waiting')
      // Nothing may happen between this check and leaving the runs.
      if (!isWaiting || opening.has(sessionId) || inbox.isAnswering(sessionId)) return false
      await Promise.all(all.map((run) => run.handOver(AbortSignal.abort())))
      return true
    },
    abandon(sessionId) {
      for (const run of [...live(sessionId), ...alone(sessionId)]) run.abandon()
      // This process may take the session again before they have ended.
      runs.delete(sessionId)
      shared.delete(sessionId)
      for (const key of children.keys()) if (key.startsWith(childKey(sessionId, ''))) children.delete(key)
      recovery.forget(sessionId)
    },
    states: async (sessionIds) => new Map(sessionIds.map((id) => [id, live(id)])),
    async close() {
      closing = true
      await Promise.allSettled(opening.values())
      await Promise.all([...runs.values()].flat().map((run) => run.detach()))
      await Promise.all([...children.values()].map((live) => live.detach()))
      for (const [sessionId, [first]] of late.all()) {
        const record = first?.record ?? { id: '', sessionId }
        await late.store(sessionId).catch((error: unknown) => warn('an answer was not stored', record, error))
      }
      await Promise.all(merging)
    },
  }

  async function storeRun(given: StartRun, inside: Store): Promise<RunRecord> {
    const record = await newRecord(given, inside)
    await inside.runs.put(record)
    await services.turns?.begin(record.sessionId, inside)
    const fence = services.turns?.fence(record.sessionId)
    if (fence !== undefined) fences.set(record, fence)
    return record
  }

  async function closed(sessionId: string): Promise<void> {
    const over = async (): Promise<void> => {
      // One that is lost while it is closed may be taken up again, and closed then.
      for (;;) {
        const closing = live(sessionId).filter(({ isClosing }) => isClosing)
        if (closing.length === 0) return
        await Promise.allSettled(closing.map(({ done }) => done))
      }
    }
    await withinTime(over(), closingMs)
  }

  /** The sub-agents of a session. */
  function alone(sessionId: string): OpenRun[] {
    return [...children].flatMap(([key, child]) => (key.startsWith(`${sessionId}/`) ? [child] : []))
  }

  function isLive({ id, sessionId }: RunRecord): boolean {
    return [...live(sessionId), ...alone(sessionId)].some((run) => run.id === id)
  }

  /** Tells the cluster when the last run of a session is closed. */
  function onLast(sessionId: string, left: boolean): void {
    if (live(sessionId).length + alone(sessionId).length === 0) services.turns?.end(sessionId, left)
  }

  async function start(given: StartRun): Promise<LiveRun> {
    const { session, userMessageId, request } = given
    assertCurrent(given.record)
    await closed(session.id)
    const busy = live(session.id).find((run) => !isBeside(given, run))
    if (busy !== undefined) throw sessionBusy(busy)
    const parts = await prepareRun(services, session, request, { userMessageId, agentId: null })
    // In a cluster, the run and its turn are stored together.
    const stored =
      given.record ??
      (services.turns === undefined ? undefined : await store.transaction((inside) => storeRun(given, inside)))
    const record = stored ?? (await newRecord(given, store))
    await late.store(session.id)
    services.turns?.assertHeld(session.id)
    assertCurrent(record)
    // A stored record has the same request. Two copies would stay in memory as long as the run.
    const own = stored === undefined ? request : (stored.request as RunRequest)
    const begun = stored === undefined ? 'unstored' : 'stored'
    const run = open({ record, request: own, session, parts, begun })
    void run.begin()
    tellWatchers(session.id)
    return run
  }

  /** In a cluster, throws if the session was taken again since the run was stored, which continued the run. */
  function assertCurrent(record: RunRecord | undefined): void {
    const { turns } = services
    if (turns === undefined || record === undefined) return
    if (fences.get(record) !== turns.fence(record.sessionId)) throw notHere()
  }

  function tellWatchers(sessionId: string): void {
    for (const onChange of watchers.get(sessionId) ?? []) onChange()
  }

  /** Returns the run that a sub-agent belongs to. */
  function rootOf(sessionId: string, { parentRunId }: Pick<AgentDetails, 'parentRunId'>): OpenRun | undefined {
    const all = live(sessionId)
    if (all.length < 2) return all[0]
    const parent = [...all, ...children.values()].find(({ id }) => id === parentRunId)
    return all.find(({ messageId }) => messageId === parent?.column)
  }

  async function markRunning({ sessionId, runId }: Pick<Ask, 'sessionId' | 'runId'>): Promise<void> {
    const all = live(sessionId)
    if (all.length < 2) return all[0]?.markRunning()
    const record = await store.runs.get(runId)
    const column = record === undefined ? undefined : runRequestOf(record).column?.messageId
    live(sessionId)
      .find(({ messageId }) => messageId === column)
      ?.markRunning()
  }

  async function markCallRunning({ sessionId, toolCallId }: EarlyAnswer): Promise<void> {
    if (live(sessionId).length < 2) return live(sessionId)[0]?.markRunning()
    const ask = (await store.asks.list({ sessionId })).findLast((one) => one.toolCallId === toolCallId)
    if (ask !== undefined) await markRunning(ask)
  }

  async function newRecord(given: StartRun, inside: Store): Promise<RunRecord> {
    const { session, userMessageId, request } = given
    const last = Math.max(0, ...late.numbers(session.id), await inside.runs.lastNumber(session.id))
    return {
      id: newId('run_'),
      sessionId: session.id,
      agentId: null,
      userMessageId,
      messageId: given.messageId ?? newId('msg_'),
      status: 'running',
      request,
      // The numbers of columns do not overlap, so that each tells which log it belongs to.
      fromNumber: request.column === undefined ? last : last + columnNumbers,
      createdAt: Date.now(),
      endedAt: null,
    }
  }

  function open(given: RunToBegin): OpenRun {
    const { record, parts } = given
    const { sessionId, messageId } = record
    const isColumn = (given.request ?? runRequestOf(record)).column !== undefined
    const isFirst = parts.history.filter(({ role }) => role === 'user').length === 1
    const run: OpenRun = new ManagedRun(services, {
      ...given,
      parts: isColumn ? { ...parts, ...sharedByColumns(sessionId) } : parts,
      openChild,
      claimRecovered,
      isCompared,
      onClosed({ unstored, left }) {
        picked.delete(messageId)
        const rest = live(sessionId).filter((other) => other !== run)
        if (rest.length > 0) runs.set(sessionId, rest)
        else {
          runs.delete(sessionId)
          shared.delete(sessionId)
        }
        if (unstored !== undefined) late.add({ record, outcome: unstored, number: run.log.number })
        else if (!left) {
          void merge(run)
          if (isFirst) services.onFirstAnswer?.(record)
        }
        onLast(sessionId, left)
      },
    })
    runs.set(
      sessionId,
      [...live(sessionId), run].toSorted((one, other) => one.place - other.place),
    )
    return run
  }

  function isCompared(column: string): boolean {
    return !picked.has(column)
  }

  /** Columns change files one at a time, and no two of them use the same call id. */
  function sharedByColumns(sessionId: string): SharedByColumns {
    const known = shared.get(sessionId)
    if (known !== undefined) return known
    const made = { writes: createWriteLock(), reserveCallId: createCallIds(store, sessionId) }
    shared.set(sessionId, made)
    return made
  }

  /** A sub-agent's run belongs to its session's run. */
  function openChild(given: RunToBegin): OpenRun {
    const { sessionId, agentId } = given.record as RunRecord & { agentId: string }
    const key = childKey(sessionId, agentId)
    const live = new ManagedRun(services, {
      ...given,
      openChild,
      claimRecovered,
      isCompared,
      onClosed({ left }) {
        if (children.get(key) === live) children.delete(key)
        onLast(sessionId, left)
        if (left) return
        void merge(live)
        services
          .dropState(sessionId, agentId)
          .catch((error: unknown) => warn('what an agent left was not ended', given.record, error))
      },
    })
    children.set(key, live)
    return live
  }

  /** Merges the frames of an ended run. Waits for readers, since small frames make small pages. */
  async function merge(live: LiveRun): Promise<void> {
    await live.log.unread()
    if (closing) return
    const work = store.frames.merge(live.id).catch((error: unknown) => warn('a run log was not merged', live, error))
    merging.add(work)
    await work
    merging.delete(work)
  }

  function warn(message: string, { id, sessionId }: { id: string; sessionId: string }, error: unknown): void {
    services.logger({
      level: 'error',
      message,
      session: sessionId,
      run: id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}

type SharedByColumns = Required<Pick<PreparedRun, 'writes' | 'reserveCallId'>>

/** True if both are columns of one message. */
function isBeside({ request, userMessageId }: StartRun, run: LiveRun): boolean {
  return request.column !== undefined && run.column !== undefined && run.userMessageId === userMessageId
}

function childKey(sessionId: string, agentId: string): string {
  return `${sessionId}/${agentId}`
}
