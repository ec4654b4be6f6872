import { type Chunk, joinDeltas } from '@troupe/protocol'
import { createWriteLock, Meter, type WriteLock } from '../run/tree-state.ts'
import { stopNow } from '../tool/abort-reason.ts'
import type { AgentFrame, AgentReport, Refusal } from '../tool/services.ts'
import type { AgentHost, AgentLink } from './agent-host.ts'
import { createAgentLink } from './agent-link.ts'
import {
  type AgentNode,
  type AgentRecordWithDetails,
  type AgentTreeContext,
  type Slot,
  startNode,
  storedReport,
  type TreeRun,
} from './agent-node.ts'
import { framesFor } from './delegate.ts'

interface TreeOptions {
  host: AgentHost
  sessionId: string
  emit(chunk: Chunk): void
  /** Maximum concurrent children per agent. Default: 4. */
  parallel?: number
  /** Shared by the whole tree, so writes run one at a time. */
  writes?: WriteLock
}

export interface AgentTree {
  /** Shared by the whole tree, so writes run one at a time. */
  readonly writes: WriteLock
  link(run: TreeRun): AgentLink
  /** Stops an agent on the user's request. Its parent reads the partial answer. */
  stop(agentId: string): Promise<AgentReport | undefined>
}

export function createAgentTree(options: TreeOptions): AgentTree {
  const { host, emit } = options
  const nodes = new Map<string, AgentNode>()
  const { writes = createWriteLock() } = options
  const envelopes = createEnvelopes(emit)
  let lastTime = 0
  const tree: AgentTreeContext = {
    host,
    sessionId: options.sessionId,
    parallel: options.parallel ?? 4,
    nodes,
    begin,
    reportOf,
    now,
  }

  return {
    writes,
    link: (run) => createAgentLink(tree, run),
    async stop(agentId) {
      const node = nodes.get(agentId)
      node?.stop(stopNow())
      return node?.ended
    },
  }

  function begin(parent: TreeRun, record: AgentRecordWithDetails, slot: Slot): AgentNode {
    const { agentId, name, task, parentAgentId } = record
    const { setup } = record.details
    const frames = framesFor(parent.frames, { name, setup, agentId })
    const meter = new Meter(name, setup.budget, parent.meter)
    emit({ type: 'data-sub-agent-start', data: { agentId, parentAgentId, name, task }, transient: true })
    const node = startNode({
      host,
      record,
      frames,
      meter,
      writes,
      slot,
      signal: parent.signal,
      emit(chunk) {
        envelopes.flush(agentId)
        emit(chunk)
      },
      onChunk: (chunk) => envelopes.add(agentId, chunk),
      link: (node, run) =>
        createAgentLink(tree, {
          ...run,
          ...node,
          agentId,
          frames,
          tools: host.tools(setup.tools),
          modelId: setup.model,
        }),
    })
    nodes.set(agentId, node)
    void node.ended.then(forget, forget)
    return node

    function forget(): void {
      nodes.delete(agentId)
    }
  }

  /** Strictly increasing, so that agents can be listed in creation order. */
  function now(): number {
    lastTime = Math.max(Date.now(), lastTime + 1)
    return lastTime
  }

  async function reportOf(agentId: string, viewer: readonly AgentFrame[]): Promise<AgentReport | Refusal> {
    const node = nodes.get(agentId)
    if (node !== undefined) return node.report
    const record = await host.find(agentId)
    if (record === undefined) return { refused: 'NOT_FOUND', message: await unknown(agentId, viewer) }
    return storedReport(record, await host.lastText(agentId))
  }

  async function unknown(agentId: string, viewer: readonly AgentFrame[]): Promise<string> {
    const own = viewer.at(-1)?.agentId ?? null
    const children = (await host.list()).filter((record) => record.parentAgentId === own)
    const known = children.map(({ agentId: id, name }) => `${id} (${name})`).join(', ')
    return `There is no agent with the id "${agentId}". ${known === '' ? 'You have not started any.' : `Your agents: ${known}.`}`
  }
}

/** Batches chunks of sub-agents for the root stream, with adjacent deltas joined. */
interface Envelopes {
  add(agentId: string, chunk: Chunk): void
  flush(agentId: string): void
}

const flushIntervalMs = 25

function createEnvelopes(emit: (chunk: Chunk) => void): Envelopes {
  const waiting = new Map<string, Chunk[]>()
  let timer: NodeJS.Timeout | undefined
  let lastFlush = 0

  return {
    add(agentId, chunk) {
      const chunks = waiting.get(agentId)
      if (chunks === undefined) waiting.set(agentId, [chunk])
      else {
        const joined = joinDeltas(chunks.at(-1) as Chunk, chunk) as Chunk | undefined
        if (joined === undefined) chunks.push(chunk)
        else chunks[chunks.length - 1] = joined
      }
      // Flush immediately after a pause, otherwise at the next interval.
      timer ??= setTimeout(flushAll, Math.max(0, lastFlush + flushIntervalMs - performance.now()))
    },
    flush,
  }

  function flushAll(): void {
    timer = undefined
    lastFlush = performance.now()
    for (const agentId of waiting.keys()) flush(agentId)
  }

  function flush(agentId: string): void {
    const chunks = waiting.get(agentId)
    if (chunks === undefined) return
    waiting.delete(agentId)
    emit({ type: 'data-sub-agent-chunk', data: { agentId, chunks }, transient: true })
  }
}
