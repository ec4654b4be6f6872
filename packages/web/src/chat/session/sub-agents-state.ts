import type { AgentStatus } from '@troupe/core'
import type { DataParts } from '@troupe/protocol'
import { isRecord } from '../../api/read-fields.ts'
import type { SubAgentInfo } from '../../api/session-types.ts'
import { type Activity, isAgentActive, isKnownStatus, type SubAgent } from './sub-agent.ts'

/** By id, in the order in which they came. Everything here is replaced, never changed in place. */
export type SubAgentMap = ReadonlyMap<string, SubAgent>

/** The ids below each agent; those of null are below the one that the session talks to. */
export type AgentChildren = ReadonlyMap<string | null, readonly string[]>

/**
 * The server's list, in its order. `moved`: agents of which the stream has told something after the list was asked for;
 * how those stand is not taken from it.
 */
export function withListed(
  agents: SubAgentMap,
  infos: readonly SubAgentInfo[],
  moved: ReadonlySet<string> = new Set(),
): SubAgentMap {
  const listed = new Map(
    infos.map((info) => [info.agentId, listedAgent(agents.get(info.agentId), info, moved.has(info.agentId))]),
  )
  for (const [agentId, agent] of agents) if (!listed.has(agentId)) listed.set(agentId, agent)
  return listed
}

/** What the server says of one agent that is in the list already, or comes to its end. */
export function withInfo(agents: SubAgentMap, info: SubAgentInfo): SubAgentMap {
  return new Map(agents).set(info.agentId, listedAgent(agents.get(info.agentId), info, false))
}

function listedAgent(known: SubAgent | undefined, info: SubAgentInfo, hasMoved: boolean): SubAgent {
  const status = hasMoved && known !== undefined ? known.status : info.status
  const working = isAgentActive({ status })
  const stored = working ? 0 : (info.steps ?? 0)
  return {
    agentId: info.agentId,
    parentAgentId: info.parentAgentId,
    toolCallId: info.toolCallId ?? known?.toolCallId ?? null,
    name: info.name,
    task: info.task,
    status,
    background: info.background === true,
    // While it works the stored counts are those of its earlier turns.
    steps: Math.max(stored, known?.steps ?? 0),
    tokens: Math.max(working ? 0 : (info.tokens ?? 0), known?.tokens ?? 0),
    cost: info.cost ?? known?.cost ?? null,
    model: info.model ?? null,
    note: working ? null : (info.note ?? null),
    startedAt: known?.startedAt ?? info.startedAt ?? info.createdAt,
    elapsedMs: working ? null : (known?.elapsedMs ?? info.elapsedMs ?? info.updatedAt - info.createdAt),
    doing: working ? (known?.doing ?? null) : null,
    line: known?.line ?? '',
    asks: working ? (known?.asks ?? 0) : 0,
    isReported: working && known?.isReported === true,
  }
}

export function withStarted(
  agents: SubAgentMap,
  { agentId, parentAgentId, name, task }: DataParts['sub-agent-start'],
  now: number,
): SubAgentMap {
  const known = agents.get(agentId)
  return new Map(agents).set(agentId, {
    toolCallId: null,
    background: false,
    steps: 0,
    tokens: 0,
    cost: null,
    model: null,
    line: '',
    ...known,
    agentId,
    parentAgentId,
    name,
    task,
    status: 'pending',
    note: null,
    startedAt: known !== undefined && isAgentActive(known) ? known.startedAt : now,
    elapsedMs: null,
    doing: null,
    asks: 0,
    isReported: false,
  })
}

export function withEnded(agents: SubAgentMap, { agentId, status }: DataParts['sub-agent-end'], now: number) {
  return change(agents, agentId, (agent) => ({
    ...agent,
    status: readStatus(status) ?? 'stopped',
    elapsedMs: agent.elapsedMs ?? now - agent.startedAt,
    doing: null,
    asks: 0,
    isReported: false,
  }))
}

/** What the call that started an agent yields about it. */
export function withReport(agents: SubAgentMap, { toolCallId, delta }: DataParts['tool-progress']): SubAgentMap {
  if (!isRecord(delta) || typeof delta['agentId'] !== 'string') return agents
  const status = readStatus(delta['status'])
  const { steps, tokens } = delta
  return change(agents, delta['agentId'], (agent) => ({
    ...agent,
    toolCallId,
    ...(status !== undefined && { status, isReported: true }),
    steps: Math.max(agent.steps, Number(steps) || 0),
    tokens: Math.max(agent.tokens, Number(tokens) || 0),
  }))
}

export function withActivity(agents: SubAgentMap, agentId: string, activity: Activity, tokens: number): SubAgentMap {
  const { doing, line, asks, steps, startedAt, elapsedMs } = activity
  return change(agents, agentId, (agent) => ({
    ...agent,
    status: agent.isReported ? agent.status : asks > 0 ? 'waiting' : 'running',
    doing,
    line: line === '' ? agent.line : line,
    asks,
    steps: Math.max(agent.steps, steps),
    tokens: Math.max(agent.tokens, tokens),
    startedAt: startedAt ?? agent.startedAt,
    elapsedMs: elapsedMs ?? null,
  }))
}

/** One whose parent is not known stands at the top. */
export function childrenByParent(agents: SubAgentMap): AgentChildren {
  const ids = [...agents.values()]
  return Map.groupBy(
    ids.map(({ agentId }) => agentId),
    (agentId) => {
      const parent = agents.get(agentId)?.parentAgentId ?? null
      return parent !== null && agents.has(parent) ? parent : null
    },
  )
}

/** The agents themselves and everything below them, parents before their children. */
export function subtree(below: AgentChildren, agentIds: readonly string[]): string[] {
  const found = new Set<string>()
  const add = (agentId: string) => {
    if (found.has(agentId)) return
    found.add(agentId)
    for (const child of below.get(agentId) ?? []) add(child)
  }
  for (const agentId of agentIds) add(agentId)
  return [...found]
}

/** From the top down to the agent itself. */
export function pathTo(agents: SubAgentMap, agentId: string): SubAgent[] {
  const path: SubAgent[] = []
  for (let agent = agents.get(agentId); agent !== undefined && !path.includes(agent);) {
    path.unshift(agent)
    agent = agent.parentAgentId === null ? undefined : agents.get(agent.parentAgentId)
  }
  return path
}

export function hasSameShape(one: SubAgentMap, other: SubAgentMap): boolean {
  if (one.size !== other.size) return false
  const ids = [...other.keys()]
  return [...one.values()].every(
    ({ agentId, parentAgentId }, index) =>
      ids[index] === agentId && other.get(agentId)?.parentAgentId === parentAgentId,
  )
}

function change(agents: SubAgentMap, agentId: string, next: (agent: SubAgent) => SubAgent): SubAgentMap {
  const agent = agents.get(agentId)
  return agent === undefined ? agents : new Map(agents).set(agentId, next(agent))
}

/** A server of another version may know further ones. */
function readStatus(status: unknown): AgentStatus | undefined {
  return typeof status === 'string' && isKnownStatus(status) ? status : undefined
}
