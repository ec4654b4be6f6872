import { createHash } from 'node:crypto'
import type { Chunk, SteeringMessage } from '@troupe/protocol'
import type { AgentDefinition } from '../agents/agent-definition.ts'
import type { RunInput } from '../run/run-input.ts'
import type { Meter, WriteLock } from '../run/tree-state.ts'
import type { RunOutcome } from '../run/turn.ts'
import type { AgentRecord } from '../store/records.ts'
import type { AgentFrame } from '../tool/services.ts'
import type { Tool } from '../tool/tool.ts'

/** Services an agent tree needs from the owner of conversations and runs. */
export interface AgentHost {
  /** Agents available for delegation now: enabled and offered on the open page. */
  definitions(): Promise<readonly AgentDefinition[]>
  /** Returns the reason an existing agent of this name is unavailable. */
  whyNot?(name: string): Promise<string | undefined>
  /** Returns the tools of these names and groups that the workspace allows. */
  tools(names: readonly string[]): readonly Tool[]
  /** Throws if the model does not exist, with advice on how to fix it. */
  checkModel(id: string): Promise<void>
  find(agentId: string): Promise<AgentRecord | undefined>
  list(): Promise<readonly AgentRecord[]>
  /** Durable when it resolves. */
  save(record: AgentRecord): Promise<void>
  lastText(agentId: string): Promise<string>
  /**
   * Stores the message and starts a run that answers it. If an earlier process left a run with this id, resumes it. If
   * that run has ended, returns its outcome again.
   */
  open(child: ChildRun): Promise<HostedRun>
}

export interface ChildRun {
  runId: string
  /** Only asks for the results so far: one model call without tools. */
  summary?: true
  record: AgentRecord
  /** The master comes first, this agent last. */
  frames: readonly AgentFrame[]
  message: { id: string; text: string }
  meter: Meter
  writes: WriteLock
  signal: AbortSignal
  onChunk(chunk: Chunk): void
  onStatus(status: 'running' | 'waiting'): void
  /** Creates the run's link to its sub-agents, once it can be steered. */
  link(run: { steer(message: { id: string; text: string }): Promise<void>; resumed: boolean }): AgentLink
}

export interface HostedRun {
  done: Promise<RunOutcome>
  /** Rejects if the run has decided to end. */
  steer(message: SteeringMessage): Promise<void>
}

/** Link from one run to its sub-agents. `agents` and `idle` go into the run's input. */
export interface AgentLink {
  agents: NonNullable<RunInput['agents']>
  idle: NonNullable<RunInput['idle']>
  /** Wakes a run that only waits for its sub-agents, because there is something new to read. */
  wake(): void
  resume(): Promise<void>
  /** Stops all running descendants and waits for them to end. */
  close(): Promise<void>
}

/** Stable across restarts: the same call of the same run gets the same id. */
export function derivedId(prefix: string, ...from: readonly string[]): string {
  return prefix + createHash('sha256').update(from.join('\n')).digest('hex').slice(0, 32)
}
