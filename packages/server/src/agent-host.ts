import {
  finalText,
  newId,
  pickTools,
  type AgentDefinition,
  type AgentHost,
  type ChildRun,
  type HostedRun,
  type Message,
  type Meter,
  type RunOutcome,
  type RunRecord,
  type Session,
  type StoredMessage,
} from '@troupe/core'
import type { OpenRun, RunToBegin } from './live-run.ts'
import { prepareChildRun, type RunManagerOptions, type RecoveredState, type RunRequest } from './run-parts.ts'

export interface SubAgentHost extends AgentHost {
  /** Nothing that happens from now on is written. */
  freeze(): Promise<void>
}

export interface SubAgentHostOptions {
  live: RunManagerOptions
  session: Session
  /** What the root was started with: sub-agents have its client, page and limits. */
  request: RunRequest
  open(given: RunToBegin): OpenRun
  /** What an earlier process left of a run. Can be taken once. */
  takeRemains(runId: string): RecoveredState | undefined
  takeCallId(id: string): Promise<boolean>
}

/** Gives sub-agents a conversation in the store and runs like any other. */
export function createSubAgentHost(given: SubAgentHostOptions): SubAgentHost {
  const { live: options, session, request } = given
  const { store } = options
  const runs = new Set<OpenRun>()
  let left = false

  return {
    definitions: (): Promise<readonly AgentDefinition[]> => options.agents(session, request.page),
    whyNot: (name) => options.whyNoAgent?.(session, name) ?? Promise.resolve(undefined),
    tools: (names) => pickTools(names, options.tools(session)),
    async checkModel(id) {
      await options.model(id)
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
  }

  async function open(child: ChildRun): Promise<HostedRun> {
    const at = { sessionId: session.id, agentId: child.record.agentId }
    const known = await store.runs.get(child.runId)
    if (known !== undefined && known.endedAt !== null) {
      const answer = await store.messages.get(at, known.messageId)
      if (answer !== undefined) restoreUsage(child.meter, answer)
      return endedRun(known, answer)
    }
    const remains = known === undefined ? undefined : given.takeRemains(child.runId)
    const record = known ?? (await begin(child))
    const parts = await prepareChildRun(options, session, child, request.page)
    const run = given.open({
      record,
      session,
      parts: { ...parts, takeCallId: given.takeCallId },
      ...(remains !== undefined && { remains }),
    })
    runs.add(run)
    const abort = (): void => run.abort(child.signal.reason as Parameters<OpenRun['abort']>[0])
    if (child.signal.aborted) abort()
    else child.signal.addEventListener('abort', abort, { once: true })
    run.begin()
    return {
      steer: (message) => run.steer(message),
      done: run.done.then(outcome).finally(() => {
        runs.delete(run)
        child.signal.removeEventListener('abort', abort)
      }),
    }

    function outcome(message: Message): RunOutcome {
      return toOutcome(message, run.status)
    }
  }

  /** The message is stored before the run, which is stored before it begins. */
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
      await inside.runs.create(record)
    })
    return record
  }
}

/** What a run took that had ended in an earlier process. */
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
  return { status: ended, message, ...(error !== undefined && { error }) }
}
