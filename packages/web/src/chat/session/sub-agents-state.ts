import type { AgentStatus } from '@troupe/core'
import type { DataParts } from '@troupe/protocol'
import { isRecord } from '../../api/read-fields.ts'
import type { SubAgentInfo } from '../../api/session-types.ts'
import { type Activity, isAgentActive, isKnownStatus, type SubAgent } from './sub-agent.ts'

/** By ID, in creation order. Immutable: every update replaces it. */
export type SubAgentMap = ReadonlyMap<string, SubAgent>

/** Child IDs by parent. Null stands for the session's main agent. */
export type AgentChildren = ReadonlyMap<string | null, readonly string[]>

/**
 * Merges the server's list, in its order. `moved` agents had stream updates since the request, so their status is kept.
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

/** Merges the server's data for one agent that is already listed. */
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
    // While it works, the stored counts cover only earlier turns.
    steps: Math.max(stored, known?.steps ?? 0),
    tokens: Math.max(working ? 0 : (info.tokens ?? 0), known?.tokens ?? 0),
    cost: info.cost ?? known?.cost ?? null,
    model: info.model ?? null,
    note: working ? null : (info.note ?? null),
    startedAt: known?.startedAt ?? info.startedAt ?? info.createdAt,
    elapsedMs: working ? null : (known?.elapsedMs ?? info.elapsedMs ?? info.updatedAt - info.createdAt),
    currentCall: working ? (known?.currentCall ?? null) : null,
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
    currentCall: null,
    asks: 0,
    isReported: false,
  })
}

export function withEnded(agents: SubAgentMap, { agentId, status }: DataParts['sub-agent-end'], now: number) {
  return change(agents, agentId, (agent) => ({
    ...agent,
    status: readStatus(status) ?? 'stopped',
    elapsedMs: agent.elapsedMs ?? now - agent.startedAt,
    currentCall: null,
    asks: 0,
    isReported: false,
  }))
}

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
  const { currentCall: doing, line, asks, steps, startedAt, elapsedMs } = activity
  return change(agents, agentId, (agent) => ({
    ...agent,
    status: agent.isReported ? agent.status : asks > 0 ? 'waiting' : 'running',
    currentCall: doing,
    line: line === '' ? agent.line : line,
    asks,
    steps: Math.max(agent.steps, steps),
    tokens: Math.max(agent.tokens, tokens),
    startedAt: startedAt ?? agent.startedAt,
    elapsedMs: elapsedMs ?? null,
  }))
}

/** Agents with an unknown parent are at the top level. */
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

/** Returns the agents and all their descendants, parents first. */
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

/** A server of another version may send unknown statuses. */
function readStatus(status: unknown): AgentStatus | undefined {
  return typeof status === 'string' && isKnownStatus(status) ? status : undefined
}
