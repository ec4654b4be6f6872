import {
  type AgentDetails,
  type AgentRecord,
  type Answer,
  type Ask,
  createWriteLock,
  type RunRecord,
  type Session,
  stopNow,
  type Store,
} from '@troupe/core'
import { errorInfo, NamedError, newId, type SteeringMessage } from '@troupe/protocol'
import type { AnswerOptions, EarlyAnswer } from './inbox.ts'
import { createLateAnswers, storeAnswer } from './journal.ts'
import { ManagedRun, noRun } from './live-run.ts'
import { columnNumbers } from './live-log.ts'
import { type PreparedRun, prepareRun, type RecoveredState, type RunRequest, runRequestOf } from './prepare-run.ts'
import type { RunServices } from './run-services.ts'
import { notHere } from './not-here.ts'
import { withinTime } from '../util/concurrency.ts'
import { isServerFault } from '../util/storage-fault.ts'
import { readUnfinishedRuns, type UnfinishedRun } from './recover.ts'
import { createStandaloneAgents } from './standalone-agents.ts'
import type { LiveRun, OpenRun, RunToBegin } from './sub-agent-host.ts'

export type { LiveRun } from './sub-agent-host.ts'
export type { RunRequest } from './prepare-run.ts'

/** The runs of this process. A session has at most one, or one per column while models are compared. */
export interface RunManager {
  /**
   * Starts a run that answers a stored user message. Throws `SessionBusy` (409), unless it is a column and all live
   * runs are other columns of the same message.
   */
  start(start: StartRun): Promise<LiveRun>
  /** Stores a run in the transaction that stores its user message. Call `start` with the record next. */
  store(start: StartRun, inside: Store): Promise<RunRecord>
  /** Closes a stored run that could not start. With `error`, stores a failed answer. */
  withdraw(record: RunRecord, error?: unknown): Promise<void>
  /** The session's run: the first of its columns, or the one that writes this answer. */
  get(sessionId: string, messageId?: string): LiveRun | undefined
  all(sessionId: string): readonly LiveRun[]
  /** The runs of all sessions. */
  live(): readonly LiveRun[]
  /** Calls back when a run of the session starts, or the user continues with one of several answers. */
  watch(sessionId: string, onChange: () => void): () => void
  /** Continues with one of several answers: changes need no more approval than usual. Stops the others. */
  pick(sessionId: string, messageId: string, others: readonly string[]): Promise<void>
  getAgent(sessionId: string, agentId: string): LiveRun | undefined
  /** Stops a sub-agent and its children. Its parent continues. Returns false if it is not active. */
  stopAgent(sessionId: string, agentId: string): Promise<boolean>
  /**
   * Sends the user's message to a sub-agent. During its session's run it arrives as if from the parent. Otherwise the
   * sub-agent continues alone in its own chat. Throws `AgentNotFound` (404).
   */
  messageAgent(
    session: Session,
    agentId: string,
    message: { id: string; text: string; person?: string | undefined },
  ): Promise<void>
  /**
   * Aborts a session's runs, or the one that writes this answer, and waits until they are stored and closed. Returns
   * undefined if there is none. In a cluster, throws `NotHere` (421) if they were left to another process meanwhile.
   */
  stop(sessionId: string, messageId?: string): Promise<{ runId: string; ms: number } | undefined>
  /** Throws `NoRun` (409). Resolves once the message is durable. */
  steer(sessionId: string, message: SteeringMessage): Promise<void>
  /** See `Inbox.answer`. */
  answer(askId: string, answer: Answer, options?: AnswerOptions): Promise<Ask>
  /** Handles a page's report about a call it executes, see `Inbox.acknowledge`. */
  acknowledge(early: EarlyAnswer): Promise<'resolved' | 'stored'>
  /**
   * Continues the unfinished runs of earlier processes, or those of one session. In a cluster, throws if a run that
   * waits for a person cannot be continued at the moment.
   */
  recover(sessionId?: string): Promise<void>
  /**
   * Waits for runs that are over but still being closed, since readers may know of their end first. A run that another
   * process left in that state counts, too. Waits at most 10 seconds.
   */
  closed(sessionId: string): Promise<void>
  /** Waits like `closed`, then throws `SessionBusy` (409) if a run is live, or the one that writes this answer. */
  assertFree(sessionId: string, messageId?: string): Promise<void>
  /** Leaves all runs of these sessions unfinished for another process, each at its next safe point. */
  handOver(sessionIds: readonly string[], now: AbortSignal): Promise<void>
  /**
   * Leaves the runs of a session unfinished, if all of them wait for a person. Resolves to false otherwise, and changes
   * nothing then.
   */
  park(sessionId: string): Promise<boolean>
  /** Ends all runs of a session at once and writes nothing more, since another process has them. */
  abandon(sessionId: string): void
  /** The unfinished runs of these sessions, in this and in other processes. */
  states(sessionIds: readonly string[]): Promise<ReadonlyMap<string, readonly RunState[]>>
  /** Ends runs at the next safe point. Runs waiting for the user stay as they are. */
  close(): Promise<void>
}

const closingMs = 10_000

export type RunState = Pick<LiveRun, 'id' | 'messageId' | 'userMessageId' | 'status'>

export interface StartRun {
  session: Session
  userMessageId: string
  request: RunRequest
  /** Id of the answer, if it is already known. */
  messageId?: string
  /** The run, if it is already stored. */
  record?: RunRecord
}

export function createRunManager(services: RunServices): RunManager {
  const { store, inbox } = services
  const runs = new Map<string, readonly OpenRun[]>()
  const children = new Map<string, OpenRun>()
  /** Unfinished runs of sub-agents, until their parent run resumes them. */
  const orphans = new Map<string, UnfinishedRun>()
  const opening = new Map<string, Promise<unknown>>()
  const late = createLateAnswers(store)
  const standalone = createStandaloneAgents(services, { openChild, warn })
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
    withdraw: (record, error) => (error === undefined ? interrupt(record) : fail(record, error)),
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
    async recover(only) {
      // If this process had the session before, frames of its runs may still be on their way.
      await services.journal.idle()
      const found = (await readUnfinishedRuns(store, warn, only)).filter(({ record }) => !isLive(record))
      for (const left of found) if (left.record.agentId !== null) orphans.set(left.record.id, left)
      for (const { record, session, latest, ...left } of found) {
        if (record.agentId !== null) continue
        await recover(record, session, left, latest).catch((error: unknown) => {
          // Another try may succeed, on this node or another. Until then the run waits.
          if (services.turns !== undefined && record.status === 'waiting' && isTemporary(error)) throw error
          return giveUp(record, error)
        })
      }
      for (const { record, session, ...left } of found) {
        if (record.agentId === null || runs.has(record.sessionId) || !orphans.delete(record.id)) continue
        const agent = await store.agents.get(session.id, record.agentId)
        if (agent !== undefined && runRequestOf(record).alone === true && services.recovery() === 'continue') {
          await standalone.begin(record, session, agent, left).catch((error: unknown) => giveUp(record, error))
          continue
        }
        await standalone.close(record, session, left).catch((error: unknown) => giveUp(record, error))
      }
    },
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
      for (const [id, { record }] of orphans) if (record.sessionId === sessionId) orphans.delete(id)
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

  async function recover(record: RunRecord, session: Session, left: RecoveredState, latest: boolean): Promise<void> {
    const request = runRequestOf(record)
    const parts = await prepareRun(services, session, request, record, left)
    if (request.column !== undefined) {
      const question = await store.messages.get({ sessionId: session.id }, record.userMessageId)
      if (question?.metadata?.comparison?.picked === record.messageId) picked.add(record.messageId)
    }
    const live = open({ record, session, parts, recovered: left })
    const stays = latest && (services.recovery() === 'continue' || record.status === 'waiting')
    if (!stays)
      live.abort(
        new NamedError('Interrupted', 'The server stopped while writing this answer. Regenerate it to continue.'),
      )
    void live.begin()
    if (!stays) await live.done
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
    let used: Promise<Set<string>> | undefined
    const made: SharedByColumns = {
      writes: createWriteLock(),
      async reserveCallId(id) {
        const ids = await (used ??= store.calls.ids(sessionId).then((stored) => new Set(stored)))
        if (ids.has(id)) return false
        ids.add(id)
        return true
      },
    }
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

  function claimRecovered(runId: string): RecoveredState | undefined {
    const left = orphans.get(runId)
    orphans.delete(runId)
    return left
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

  /** In a cluster, a failure of the database is temporary, and another process may have the session by now. */
  async function giveUp(record: RunRecord, error: unknown): Promise<void> {
    if (services.turns !== undefined && (isServerFault(error) || isElsewhere(error))) throw error
    warn('a run could not be taken up', record, error)
    const isColumn = record.request['column'] !== undefined
    if (isColumn) await fail(record, error).catch(() => interrupt(record))
    else await interrupt(record)
  }

  /** Stores a failed answer, so that the columns beside it go on. */
  async function fail(record: RunRecord, error: unknown): Promise<void> {
    const { model } = runRequestOf(record)
    const metadata = { model, error: errorInfo(error), createdAt: record.createdAt }
    await storeAnswer(store, record, { id: record.messageId, role: 'assistant', parts: [], metadata }, 'failed')
  }

  async function interrupt(record: RunRecord): Promise<void> {
    await store.runs
      .put({ ...record, status: 'interrupted', endedAt: Date.now() })
      .catch((again: unknown) => isElsewhere(again) || warn('a run could not be closed', record, again))
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

/** Another process has the session, or may have it. It closes the run or continues it. */
function isElsewhere(error: unknown): boolean {
  return error instanceof NamedError && (error.name === 'NotHere' || error.name === 'NodeLost')
}

/** True for a folder that does not answer at the moment. */
function isTemporary(error: unknown): boolean {
  return error instanceof NamedError && error.status === 503
}

type SharedByColumns = Required<Pick<PreparedRun, 'writes' | 'reserveCallId'>>

/** True if both are columns of one message. */
function isBeside({ request, userMessageId }: StartRun, run: LiveRun): boolean {
  return request.column !== undefined && run.column !== undefined && run.userMessageId === userMessageId
}

function childKey(sessionId: string, agentId: string): string {
  return `${sessionId}/${agentId}`
}

/** In a cluster, another node answers instead. */
function shuttingDown(hasOthers: boolean): NamedError {
  const [name, status] = hasOthers ? ['NotHere', 421] : ['ShuttingDown', 503]
  return new NamedError(name as string, 'The server is shutting down.', { status: status as number })
}

export function sessionBusy(live: LiveRun | undefined): NamedError {
  return new NamedError('SessionBusy', 'An answer is already running in this chat. Stop it or wait for it to finish.', {
    status: 409,
    data: { runId: live?.id ?? null },
  })
}
