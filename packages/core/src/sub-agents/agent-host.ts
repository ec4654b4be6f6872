import { createHash } from 'node:crypto'
import type { Chunk, SteeringMessage } from '@troupe/protocol'
import type { AgentDefinition } from '../agents/agent-definition.ts'
import type { RunOutcome } from '../run/end-turn.ts'
import type { Meter } from '../run/meter.ts'
import type { RunInput, WriteLock } from '../run/run-input.ts'
import type { AgentRecord } from '../store/store.ts'
import type { AgentFrame } from '../tool/services.ts'
import type { Tool } from '../tool/tool.ts'

/** What a tree of agents needs from whoever keeps conversations and starts runs. */
export interface AgentHost {
  /** Whom could be delegated to just now: what is enabled, and offered on the open page. */
  definitions(): Promise<readonly AgentDefinition[]>
  /** Why an agent of this name cannot be delegated to, where there is one. */
  whyNot?(name: string): Promise<string | undefined>
  /** The tools of these names and groups, as far as the workspace allows them. */
  tools(names: readonly string[]): readonly Tool[]
  /** Throws when there is no such model, with what to do about it. */
  checkModel(id: string): Promise<void>
  find(agentId: string): Promise<AgentRecord | undefined>
  list(): Promise<readonly AgentRecord[]>
  /** Durable when it resolves. */
  save(record: AgentRecord): Promise<void>
  /** The text of its newest answer. */
  lastText(agentId: string): Promise<string>
  /**
   * Stores the message and begins a run that answers it. A run of this id that an earlier process left is taken up
   * where it stood; one that has ended gives its outcome again.
   */
  open(child: ChildRun): Promise<HostedRun>
}

export interface ChildRun {
  runId: string
  /** It is only asked for what it has: one model call, without tools. */
  summary?: true
  record: AgentRecord
  /** Master first, this agent last. */
  frames: readonly AgentFrame[]
  message: { id: string; text: string }
  meter: Meter
  writes: WriteLock
  signal: AbortSignal
  onChunk(chunk: Chunk): void
  onStatus(status: 'running' | 'waiting'): void
  /** Makes the run's own door to its sub-agents, once it can be steered. */
  link(run: { steer(message: { id: string; text: string }): Promise<void>; resumed: boolean }): AgentLink
}

export interface HostedRun {
  done: Promise<RunOutcome>
  /** Rejects when the run has decided to end. */
  steer(message: SteeringMessage): Promise<void>
}

/** The door of one run to its sub-agents. `agents` and `idle` go into the run's input. */
export interface AgentLink {
  agents: NonNullable<RunInput['agents']>
  idle: NonNullable<RunInput['idle']>
  /** Something came that a run which only waits for its sub-agents should see. */
  wake(): void
  /** After a restart: goes on with what an earlier process had started. */
  resume(): Promise<void>
  /** Stops what is still at work below, and waits for its end. */
  close(): Promise<void>
}

/** The same call of the same run gets the same id again after a restart. */
export function derivedId(prefix: string, ...from: readonly string[]): string {
  return prefix + createHash('sha256').update(from.join('\n')).digest('hex').slice(0, 32)
}
