import {
  type AgentDefinition,
  type AgentHost,
  type AgentLink,
  type AgentReport,
  type ChildRun,
  createAgentTree,
  finalText,
  type HostedRun,
  type Meter,
  pickTools,
  type RunOutcome,
  type RunRecord,
  type RunStatus,
  type Session,
  type WriteLock,
} from '@troupe/core'
import {
  type Chunk,
  type Message,
  type NamedError,
  newId,
  type SteeringMessage,
  type StoredMessage,
} from '@troupe/protocol'
import type { Sink } from '../http/route.ts'
import type { LiveLog } from './live-log.ts'
import { prepareChildRun, type PreparedRun, type RecoveredState, type RunRequest, runRequestOf } from './prepare-run.ts'
import type { RunServices, SessionServices } from './run-services.ts'
import type { Payer } from '../usage/budget-accounts.ts'

interface SubAgentHost extends AgentHost {
  /** Stops all further writes. */
  freeze(): Promise<void>
  /** See `RunSubAgents.handOver`. */
  handOver(now: AbortSignal): Promise<boolean>
  abandon(): void
}

interface SubAgentHostOptions {
  services: RunServices
  /** Those of the session, shared with the root run. */
  own: SessionServices
  session: Session
  /** The root's request. Sub-agents inherit its client, page and limits. */
  request: RunRequest
  open(given: RunToBegin): OpenRun
  /** Returns a run's state from an earlier process, only once. */
  claimRecovered(runId: string): RecoveredState | undefined
  reserveCallId(id: string): Promise<boolean>
}

/** Stores a chat per sub-agent and starts its runs like any other. */
function createSubAgentHost(given: SubAgentHostOptions): SubAgentHost {
  const { services, own, session, request } = given
  const { store } = services
  const runs = new Set<OpenRun>()
  let left = false

  return {
    definitions: (): Promise<readonly AgentDefinition[]> => own.agents(request.page),
    whyNot: (name) => own.whyNoAgent(name),
    tools: (names) => pickTools(names, own.tools()),
    async checkModel(id) {
      await services.models.resolveChatModel(id)
    },
    find: (agentId) => store.agents.get(session.id, agentId),
    list: () => store.agents.list(session.id),
    async save(record) {
      if (!left) await store.agents.put(record)
    },
    async lastText(agentId) {
      const { messages } = await store.messages.branch({ sessionId: session.id, agentId }, { limit: 2 })
      const answer = messages.findLast(({ role }) => role === 'assistant')
      return answer === undefined ? '' : finalText(answer)
    },
    open,
    async freeze() {
      left = true
      await Promise.all([...runs].map((run) => run.freeze()))
    },
    async handOver(now) {
      if (runs.size === 0) return false
      // A sub-agent that ends meanwhile may let its parent begin others.
      while (runs.size > 0) await Promise.all([...runs].map((run) => run.handOver(now)))
      left = true
      return true
    },
    abandon() {
      left = true
      for (const run of runs) run.abandon()
    },
  }

  async function open(child: ChildRun): Promise<HostedRun> {
    const at = { sessionId: session.id, agentId: child.record.agentId }
    const known = await store.runs.get(child.runId)
    if (known !== undefined && known.endedAt !== null) {
      const answer = await store.messages.get(at, known.messageId)
      if (answer !== undefined) restoreUsage(child.meter, answer)
      return endedRun(known, answer)
    }
    const recovered = known === undefined ? undefined : given.claimRecovered(child.runId)
    const record = known ?? (await begin(child))
    const parts = await prepareChildRun(services, session, child, request)
    const run = given.open({
      record,
      session,
      parts: { ...parts, reserveCallId: given.reserveCallId },
      recovered,
    })
    runs.add(run)
    const abort = (): void => run.abort(child.signal.reason as Parameters<OpenRun['abort']>[0])
    if (child.signal.aborted) abort()
    else child.signal.addEventListener('abort', abort, { once: true })
    void run.begin()
    return {
      steer: (message) => run.steer(message),
      done: run.done.then(outcome).finally(() => {
        runs.delete(run)
        child.signal.removeEventListener('abort', abort)
      }),
    }

    /** A run that another process continues has no outcome here. */
    function outcome(message: Message): RunOutcome | Promise<never> {
      return run.left ? new Promise<never>(() => undefined) : toOutcome(message, run.status)
    }
  }

  /** Stores the message, then the run, then starts it. */
  async function begin(child: ChildRun): Promise<RunRecord> {
    const at = { sessionId: session.id, agentId: child.record.agentId }
    const { id, text } = child.message
    const record: RunRecord = {
      id: child.runId,
      sessionId: session.id,
      agentId: child.record.agentId,
      userMessageId: id,
      messageId: newId('msg_'),
      status: 'running',
      request: { ...request, model: child.record.details?.setup.model ?? request.model, agent: child.record.name },
      fromNumber: await store.runs.lastNumber(session.id),
      createdAt: Date.now(),
      endedAt: null,
    }
    await store.transaction(async (inside) => {
      if ((await inside.messages.get(at, id)) === undefined) {
        const parentMessageId = (await inside.messages.latestLeaf(at)) ?? null
        const parts: StoredMessage['parts'] = [{ type: 'text', text }]
        await inside.messages.add(at, { id, parentMessageId, role: 'user', parts, createdAt: Date.now() })
      }
      await inside.runs.put(record)
    })
    return record
  }
}

/** Adds the usage of a run that ended in an earlier process. */
function restoreUsage(meter: Meter, { parts, metadata = {} }: StoredMessage): void {
  const { usage, cost = 0, subAgents } = metadata
  const steps = parts.filter(({ type }) => type === 'step-start').length
  meter.add({ steps, tokens: usage?.totalTokens ?? 0, cost })
  if (subAgents !== undefined) meter.addBelow(subAgents)
}

function endedRun(record: RunRecord, message: StoredMessage | undefined): HostedRun {
  const answer: Message = message ?? { id: record.messageId, role: 'assistant', parts: [] }
  return {
    steer: () => Promise.reject(new Error('This run has ended.')),
    done: Promise.resolve(toOutcome(answer, record.status)),
  }
}

function toOutcome(message: Message, status: RunRecord['status']): RunOutcome {
  const { error } = message.metadata ?? {}
  const ended = status === 'running' || status === 'waiting' ? 'interrupted' : status
  return { status: ended, message, error }
}

/** A live run's access to its sub-agents. Created on demand, since most runs have none. */
export interface RunSubAgents {
  link: AgentLink
  /** Stops a sub-agent for the user. Returns undefined if it is not active. */
  stop(agentId: string): Promise<AgentReport | undefined>
  /** Stops all further writes of the sub-agents. */
  freeze(): Promise<void>
  /** Hands over the runs of all sub-agents. Resolves to false if there are none. */
  handOver(now: AbortSignal): Promise<boolean>
  abandon(): void
}

interface RunSubAgentsOptions {
  services: RunServices
  record: RunRecord
  session: Session
  parts: PreparedRun
  meter: Meter
  writes: WriteLock
  signal: AbortSignal
  resumed: boolean
  emit(chunk: Chunk): void
  steer(message: { id: string; text: string }): Promise<void>
  reserveCallId(id: string): Promise<boolean>
  openChild: SubAgentHostOptions['open']
  claimRecovered: SubAgentHostOptions['claimRecovered']
}

export function openRunSubAgents(options: RunSubAgentsOptions): RunSubAgents {
  const { record, session, parts, steer, resumed } = options
  const { child } = parts
  if (child !== undefined) {
    return {
      link: child.link({ steer, resumed }),
      stop: () => Promise.resolve(undefined),
      freeze: () => Promise.resolve(),
      handOver: () => Promise.resolve(false),
      abandon: () => undefined,
    }
  }
  const host = createSubAgentHost({
    services: options.services,
    own: parts.services,
    session,
    request: runRequestOf(record),
    open: options.openChild,
    claimRecovered: options.claimRecovered,
    reserveCallId: options.reserveCallId,
  })
  const tree = createAgentTree({ host, sessionId: session.id, emit: options.emit, writes: options.writes })
  const link = tree.link({
    runId: record.id,
    agentId: record.agentId,
    frames: parts.frames,
    tools: parts.tools,
    modelId: parts.model.id,
    meter: options.meter,
    signal: options.signal,
    steer,
    resumed,
  })
  const { freeze, handOver, abandon } = host
  return { link, stop: tree.stop, freeze, handOver, abandon }
}

export interface LiveRun {
  readonly id: string
  readonly sessionId: string
  readonly messageId: string
  readonly userMessageId: string
  /** The answer's id, if it is one of several that compared models write. For a sub-agent, that of its root. */
  readonly column: string | undefined
  /** Position among the columns. */
  readonly place: number
  /** True while the user has not continued with one of several answers. */
  readonly isCompared: boolean
  /** The person, folder and model that its calls count for. Empty outside team mode. */
  readonly payer?: Payer
  /** The page that started the run, if any. */
  readonly client?: string | undefined
  readonly status: RunStatus
  readonly log: LiveLog
  /** Resolves when the message is stored and exported and the run is closed. Rejects if it could not be stored. */
  readonly done: Promise<Message>
  /** Resolves when the run ends or waits for the user. */
  settled(): Promise<void>
  /**
   * Sends everything after `after`, or after the first of several numbers that this log sent. Without one, sends the
   * whole run.
   */
  subscribe(sink: Sink, options: { after?: number | readonly number[]; untilWaiting?: boolean }): () => void
}

export interface OpenRun extends LiveRun {
  status: RunStatus
  /** True once nothing more of it is written here. */
  readonly left: boolean
  /** True once its answer is complete, while it is being stored. */
  readonly isClosing: boolean
  /** Never rejects. */
  begin(): Promise<void>
  abort(reason: NamedError): void
  /** Throws `NoRun` (409) if the turn is already ending. Resolves once the message is durable. */
  steer(message: SteeringMessage): Promise<void>
  /** Called when an answer arrives. The run no longer waits until it says so again. */
  markRunning(): void
  stopAgent(agentId: string): Promise<AgentReport | undefined>
  /** Sends the user's message to a sub-agent. Throws `AgentNotFound` (404). */
  messageAgent(agentId: string, message: { id: string; text: string }): Promise<void>
  /** Stops all further writes of the run and its sub-agents. */
  freeze(): Promise<void>
  /** Called on shutdown. Ends at a safe point, or leaves a waiting run as it is. */
  detach(): Promise<void>
  /**
   * Leaves the run unfinished for another node: between two steps, while it waits for the user, or wherever it is once
   * the signal aborts.
   */
  handOver(now: AbortSignal): Promise<void>
  /** Ends at once and writes nothing more, since another node has the run. */
  abandon(): void
}

export interface RunToBegin {
  record: RunRecord
  /** Start parameters, if this process has just created the record. */
  request?: RunRequest
  session: Session
  parts: PreparedRun
  recovered?: RecoveredState
  /**
   * Set for a new run. Its first journal entry stores it if it is not stored yet. If it is, a crash before that entry
   * starts it again from the beginning.
   */
  begun?: 'unstored' | 'stored'
}

export interface RunToOpen extends RunToBegin {
  openChild: SubAgentHostOptions['open']
  claimRecovered: SubAgentHostOptions['claimRecovered']
  /** True until the user continued with an answer of the column's comparison. */
  isCompared(column: string): boolean
  /**
   * Called before the streams end, once everything is stored. Otherwise gets the unstored outcome. `left`: the run is
   * unfinished, and another process continues it.
   */
  onClosed: (end: { unstored?: RunOutcome; left: boolean }) => void
}
