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
import { createAgentHost, type AgentHostOptions } from './agent-host.ts'
import type { LiveOptions, RunParts, RunRequest } from './run-parts.ts'

/** A live run's door to its sub-agents. Made when it is first needed: most runs have none. */
export interface AgentDoor {
  link: AgentLink
  writes: WriteLock
  /** A person stops one. Undefined when it is not at work. */
  stop(agentId: string): Promise<AgentReport | undefined>
  /** Nothing that happens below from now on is written. */
  freeze(): Promise<void>
}

export interface AgentDoorOptions {
  live: LiveOptions
  record: RunRecord
  session: Session
  parts: RunParts
  meter: Meter
  signal: AbortSignal
  resumed: boolean
  emit(chunk: Chunk): void
  steer(message: { id: string; text: string }): Promise<void>
  takeCallId(id: string): Promise<boolean>
  openChild: AgentHostOptions['open']
  takeRemains: AgentHostOptions['takeRemains']
}

export function openAgentDoor(options: AgentDoorOptions): AgentDoor {
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
  const host = createAgentHost({
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
