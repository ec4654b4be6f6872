import {
  createAgentTree,
  createWriteLock,
  type AgentLink,
  type AgentReport,
  type Chunk,
  type Limits,
  type Meter,
  type RunRecord,
  type Session,
  type WriteLock,
} from '@troupe/core'
import { createSubAgentHost, type SubAgentHostOptions } from './agent-host.ts'
import type { RunManagerOptions, PreparedRun, RunRequest } from './run-parts.ts'

/** A live run's door to its sub-agents. Made when it is first needed: most runs have none. */
export interface RunSubAgents {
  link: AgentLink
  writes: WriteLock
  /** A person stops one. Undefined when it is not at work. */
  stop(agentId: string): Promise<AgentReport | undefined>
  /** Nothing that happens below from now on is written. */
  freeze(): Promise<void>
}

export interface RunSubAgentsOptions {
  live: RunManagerOptions
  record: RunRecord
  session: Session
  parts: PreparedRun
  meter: Meter
  signal: AbortSignal
  resumed: boolean
  emit(chunk: Chunk): void
  steer(message: { id: string; text: string }): Promise<void>
  takeCallId(id: string): Promise<boolean>
  openChild: SubAgentHostOptions['open']
  takeRemains: SubAgentHostOptions['takeRemains']
}

export function openRunSubAgents(options: RunSubAgentsOptions): RunSubAgents {
  const { record, session, parts, steer, resumed } = options
  const { child } = parts
  if (child !== undefined) {
    return {
      link: child.link({ steer, resumed }),
      writes: child.writes,
      stop: () => Promise.resolve(undefined),
      freeze: () => Promise.resolve(),
    }
  }
  const host = createSubAgentHost({
    live: options.live,
    session,
    request: record.request as unknown as RunRequest,
    open: options.openChild,
    takeRemains: options.takeRemains,
    takeCallId: options.takeCallId,
  })
  const writes = createWriteLock()
  const tree = createAgentTree({ host, sessionId: session.id, emit: options.emit, writes })
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
  return { link, writes, stop: tree.stop, freeze: host.freeze }
}

/** What the whole tree of a turn may spend: its own limits of tokens and time. */
export function turnBudget({ tokens, ms }: Partial<Limits>): { tokens?: number; ms?: number } {
  return { ...(tokens !== undefined && { tokens }), ...(ms !== undefined && { ms }) }
}
