/** How a sub-agent stands. Only the last three are final, until it is sent something. */
export type AgentStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped'

/** Why an agent was not started, as a result that the model can read. */
export type RefusalName = 'RECURSION' | 'MAX_DEPTH' | 'NOT_ALLOWED' | 'NOT_FOUND' | 'BUDGET'

export interface Refusal {
  refused: RefusalName
  message: string
}

/** What a caller learns of a sub-agent. */
export interface AgentReport {
  agentId: string
  name: string
  status: AgentStatus
  /** Its final answer; what it had written by then where it was stopped. */
  text: string
  /** Why the answer may not be whole. */
  note?: string
  steps: number
  tokens: number
}

/** By each skill: what may run unasked. */
export type SkillLimits = readonly (readonly string[])[]

export interface SpawnRequest {
  name: string
  /** All that it is told. */
  task: string
  background?: boolean
  /** `provider/model` */
  model?: string
  /** An agent of the caller's own making. Its tools must be among the caller's. */
  config?: { systemPrompt: string; tools?: readonly string[] }
  /** What the caller's skills leave unasked; see `AgentFrame`. */
  unasked?: SkillLimits
}

/**
 * The sub-agents as one call sees them (`ctx.agents`). Nothing here throws for what a sub-agent does; refusals are
 * results. The same call after a restart finds what it had started.
 */
export interface Agents {
  /** Resolves at its end, or at once when it is to work in the background. `onChange` hears how it gets on. */
  spawn(request: SpawnRequest, onChange?: (report: AgentReport) => void): Promise<AgentReport | Refusal>
  /**
   * Queued for one that works, wakes one that has ended. `interrupt`: what it is doing is stopped first. `messageId`: the
   * id that whoever says it has given it.
   */
  send(
    agentId: string,
    text: string,
    options?: { interrupt?: boolean; messageId?: string; unasked?: SkillLimits },
  ): Promise<AgentReport | Refusal>
  /** Resolves when one of them, or all, have ended, or after the time; in the order of the ids. */
  wait(agentIds: readonly string[], options?: { mode?: 'any' | 'all'; ms?: number }): Promise<(AgentReport | Refusal)[]>
  abort(agentId: string): Promise<AgentReport | Refusal>
}

export function isFinal(status: AgentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped'
}
