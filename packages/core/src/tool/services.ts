import type { AgentMark } from '@troupe/protocol'

/** How a sub-agent stands. Only the last three are final, until it is sent something. */
export type AgentStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped'

/** Why an agent was not started, as a result that the model can read. */
type RefusalName = 'RECURSION' | 'MAX_DEPTH' | 'NOT_ALLOWED' | 'NOT_FOUND' | 'BUDGET'

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

/** One level of delegation. */
export interface AgentFrame extends AgentMark {
  /** The conversation of a sub-agent; absent for the master. */
  agentId?: string
  /** Absent: the default set. Empty: none. */
  allowedSubAgents?: string[]
  maxDepth?: number
  /** By each skill that its caller was at work with: what may run unasked. All of them must let a call pass. */
  unasked?: readonly (readonly string[])[]
}

export type MediaKind = 'image' | 'video'

export type MediaErrorCode = 'login_required' | 'insufficient_credits' | 'no_model' | 'generation_failed'

/** A picture or a film to be made. */
export interface MediaRequest {
  kind: MediaKind
  prompt: string
  /** `provider/model`. Default: the one that the settings name, else the first that can be used. */
  model?: string | undefined
  /** The chat model that asks for it, where one does. */
  chatModel?: string | undefined
  count?: number | undefined
  /** Width and height in pixels, such as `1024x1024`. */
  size?: string | undefined
  /** Such as `16:9`. */
  aspectRatio?: string | undefined
  /** How long a film is to be. */
  seconds?: number | undefined
  seed?: number | undefined
  /** Pictures to start from. */
  images?: readonly { bytes: Uint8Array; mediaType: string }[] | undefined
}

/** Its bytes are a blob; `url` is where the server gives them. */
export interface MediaFile {
  sha256: string
  mediaType: string
  size: number
  url: string
}

export interface MediaTask {
  id: string
  kind: MediaKind
  model: string
  prompt: string
  status: 'running' | 'done' | 'failed' | 'stopped'
  /** How much of it is done, from 0 to 1, where whoever makes it says so. */
  progress?: number
  files: MediaFile[]
  /** What the provider did not heed, in sentences. */
  warnings: string[]
  errorCode?: MediaErrorCode
  message?: string
  createdAt: number
  endedAt?: number
}

/** Makes pictures and films, as tasks that can be asked after. */
export interface Media {
  /** Throws a `NamedError` whose `data.errorCode` is one of ours. */
  start(request: MediaRequest): Promise<MediaTask>
  get(taskId: string): Promise<MediaTask | undefined>
  /** The task once it has ended. An aborted signal stops it. */
  ended(taskId: string, signal?: AbortSignal): Promise<MediaTask>
}

/** Bytes by their SHA-256. History holds hashes, never base64. */
export interface Blobs {
  put(bytes: Uint8Array, mediaType: string): Promise<{ sha256: string; size: number; mediaType: string }>
  get(sha256: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>
  /** False when there was none. Whether it is still needed is the caller's matter. */
  remove?(sha256: string): Promise<boolean>
}
