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
  type Session,
  type WriteLock,
} from '@troupe/core'
import { type Chunk, type Message, newId, type StoredMessage } from '@troupe/protocol'
import { type PreparedRun, type RecoveredState, type RunRequest, runRequestOf } from './prepare-run.ts'
import { prepareChildRun } from './prepare-agent-run.ts'
import type { RunServices, SessionServices } from './run-services.ts'
import type { OpenRun, RunToBegin } from './run-types.ts'

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
