import { type Chunk, NamedError, type RunLog, type StoredMessage } from '@troupe/protocol'
import type { AgentDefinition, Budget } from '../agents/agent-definition.ts'
import type { RunInput } from '../run/run-input.ts'
import { run, type RunOutcome } from '../run/run.ts'
import { Meter } from '../run/tree-state.ts'
import { createMemoryLog } from '../store/memory.ts'
import type { AgentRecord } from '../store/records.ts'
import { pickTools } from '../tool/tool-set.ts'
import type { Tool } from '../tool/tool.ts'
import { type AgentHost, type ChildRun, derivedId, type HostedRun } from './agent-host.ts'
import { finalText } from './agent-node.ts'
import { createAgentTree } from './agent-tree.ts'

export interface RunWithAgentsOptions extends Omit<MemoryHostOptions, 'root'> {
  /** Applies to the whole tree. */
  budget?: Budget
  /** Maximum concurrent children per agent. Default: 4. */
  parallel?: number
  /** Receives the host, which holds the conversations of the sub-agents. */
  onHost?(host: MemoryHost): void
}

/** Runs a turn whose `Task` calls start sub-agents, for programs without a server. Ends when all agents have ended. */
export async function runWithAgents(input: RunInput, options: RunWithAgentsOptions): Promise<RunOutcome> {
  const host = createMemoryHost({ ...options, root: input })
  options.onHost?.(host)
  const tree = createAgentTree({
    host,
    sessionId: input.session.id,
    emit: (chunk) => input.log.append(chunk),
    parallel: options.parallel,
  })
  const meter = new Meter(input.frames.at(-1)?.name ?? 'master', options.budget)
  const notices: { id: string; text: string }[] = []
  const link = tree.link({
    runId: input.runId,
    agentId: null,
    frames: input.frames,
    tools: input.tools,
    modelId: input.model.id,
    meter,
    signal: input.signal,
    resumed: false,
    steer(message) {
      notices.push(message)
      return Promise.resolve()
    },
  })
  try {
    return await run({
      ...input,
      meter,
      writes: () => tree.writes,
      agents: link.agents,
      idle: link.idle,
      steering: (ending) => [...notices.splice(0), ...(input.steering?.(ending && notices.length === 0) ?? [])],
    })
  } finally {
    await link.close()
  }
}

export interface MemoryHostOptions {
  /** The delegating run. All descendants share its inbox, permissions, state and workspace. */
  root: RunInput
  definitions: readonly AgentDefinition[]
  /** Tools available to agents. Default: the root's own tools. */
  tools?: readonly Tool[]
  /** Resolves models for agents that name one. Default: the root's model for all. */
  model?(id: string): Promise<RunInput['model']>
}

export interface MemoryHost extends AgentHost {
  readonly records: ReadonlyMap<string, AgentRecord>
  conversation(agentId: string): readonly StoredMessage[]
}

/** Keeps sub-agents in memory, for programs without a store. */
export function createMemoryHost({ root, definitions, tools = root.tools, model }: MemoryHostOptions): MemoryHost {
  const records = new Map<string, AgentRecord>()
  const conversations = new Map<string, StoredMessage[]>()

  const host: MemoryHost = {
    records,
    conversation: (agentId) => conversations.get(agentId) ?? [],
    definitions: () => Promise.resolve(definitions),
    tools: (names) => pickTools(names, tools),
    async checkModel(id) {
      await modelOf(id)
    },
    find: (agentId) => Promise.resolve(records.get(agentId)),
    list: () => Promise.resolve([...records.values()]),
    save(record) {
      records.set(record.agentId, record)
      return Promise.resolve()
    },
    lastText(agentId) {
      const answer = conversations.get(agentId)?.findLast((message) => message.role === 'assistant')
      return Promise.resolve(answer === undefined ? '' : finalText(answer))
    },
    open,
  }
  return host

  async function open(child: ChildRun): Promise<HostedRun> {
    const { agentId, details } = child.record
    if (details === undefined) throw new Error(`The agent ${agentId} was not started by this library.`)
    const history = conversations.get(agentId) ?? []
    conversations.set(agentId, history)
    const last = history.at(-1)?.id ?? null
    const { id, text } = child.message
    history.push({
      id,
      parentMessageId: last,
      role: 'user',
      parts: [{ type: 'text', text }],
      createdAt: Date.now(),
    })
    const queue: { id: string; text: string }[] = []
    let accepting = true
    const steer = (message: { id: string; text: string }): Promise<void> => {
      if (!accepting) return Promise.reject(new NamedError('NoRun', `The agent ${agentId} has ended.`))
      if (!queue.some((other) => other.id === message.id)) queue.push(message)
      link.wake()
      return Promise.resolve()
    }
    const link = child.link({ steer, resumed: false })
    const messageId = derivedId('msg_', child.runId, 'answer')
    const maxSteps = child.summary === true ? 1 : details.setup.maxSteps
    const done = run({
      ...root,
      runId: child.runId,
      messageId,
      frames: child.frames,
      model: await modelOf(details.setup.model),
      instructions: details.setup.prompt,
      tools: child.summary === true ? [] : host.tools(details.setup.tools),
      history: [...history],
      opening: [],
      limits: { ...root.limits, ...(maxSteps !== undefined && { steps: maxSteps }) },
      signal: child.signal,
      log: teeLog(child.onChunk),
      writes: () => child.writes,
      meter: child.meter,
      agents: link.agents,
      idle: link.idle,
      onStatus: (status) => child.onStatus(status),
      steering(ending) {
        if (ending && queue.length === 0) accepting = false
        return queue.splice(0)
      },
    }).then((outcome) => {
      accepting = false
      history.push({
        id: messageId,
        parentMessageId: id,
        role: 'assistant',
        parts: outcome.message.parts,
        metadata: outcome.message.metadata,
        createdAt: Date.now(),
      })
      return outcome
    })
    return { done, steer }
  }

  function modelOf(id: string): Promise<RunInput['model']> {
    if (id === root.model.id) return Promise.resolve(root.model)
    if (model !== undefined) return model(id)
    return Promise.reject(new Error(`There is no model "${id}". Omit it to use ${root.model.id}.`))
  }
}

function teeLog(onChunk: (chunk: Chunk) => void): RunLog {
  const log = createMemoryLog()
  log.subscribe(onChunk)
  return log
}
