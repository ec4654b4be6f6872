import type { AgentMark } from '@troupe/protocol'

/** The last three are final, until the sub-agent gets another message. */
export type AgentStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped'

/** Reason an agent was not started, as a result for the model. */
type RefusalName = 'RECURSION' | 'MAX_DEPTH' | 'NOT_ALLOWED' | 'NOT_FOUND' | 'BUDGET'

export interface Refusal {
  refused: RefusalName
  message: string
}

export interface AgentReport {
  agentId: string
  name: string
  status: AgentStatus
  /** Its final answer, or the text so far if it was stopped. */
  text: string
  note?: string
  steps: number
  tokens: number
}

/** For each skill, the tools it allows without asking. */
export type SkillLimits = readonly (readonly string[])[]

export interface SpawnRequest {
  name: string
  task: string
  background?: boolean
  /** `provider/model` */
  model?: string
  /** An inline agent. Its tools must be among the caller's. */
  config?: { systemPrompt: string; tools?: readonly string[] }
  /** Limits of the caller's skills. See `AgentFrame`. */
  skillLimits?: SkillLimits
}

/**
 * Sub-agents as seen by one call (`ctx.agents`). Nothing here throws because of a sub-agent, and refusals are results.
 * After a restart the same call finds the agents it had started.
 */
export interface Agents {
  /** Resolves when the agent ends, or at once if it works in the background. `onChange` receives its progress. */
  spawn(request: SpawnRequest, onChange?: (report: AgentReport) => void): Promise<AgentReport | Refusal>
  /**
   * Queues a message for a running agent, or wakes one that has ended. `interrupt`: stops its current work first.
   * `messageId`: id chosen by the sender.
   */
  send(
    agentId: string,
    text: string,
    options?: { interrupt?: boolean; messageId?: string; skillLimits?: SkillLimits },
  ): Promise<AgentReport | Refusal>
  /** Resolves when any or all of them have ended, or after `ms`. Results are in the order of the ids. */
  wait(agentIds: readonly string[], options?: { mode?: 'any' | 'all'; ms?: number }): Promise<(AgentReport | Refusal)[]>
  abort(agentId: string): Promise<AgentReport | Refusal>
}

export function isFinal(status: AgentStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'stopped'
}

export interface AgentFrame extends AgentMark {
  /** Conversation of the sub-agent. Absent for the master. */
  agentId?: string
  /** Absent: the default set. Empty: none. */
  allowedSubAgents?: string[]
  maxDepth?: number
  /** For each active skill of its caller, the tools allowed without asking. All of them must allow a call. */
  skillLimits?: readonly (readonly string[])[]
}

export type MediaKind = 'image' | 'video'

export type MediaErrorCode = 'login_required' | 'insufficient_credits' | 'no_model' | 'generation_failed'

export interface MediaRequest {
  kind: MediaKind
  prompt: string
  /** `provider/model`. Default: the configured one, or else the first available. */
  model?: string | undefined
  chatModel?: string | undefined
  count?: number | undefined
  /** Width and height in pixels, such as `1024x1024`. */
  size?: string | undefined
  /** Example: `16:9`. */
  aspectRatio?: string | undefined
  seconds?: number | undefined
  seed?: number | undefined
  images?: readonly { bytes: Uint8Array; mediaType: string }[] | undefined
  /** The part of the first image to paint. */
  mask?: { bytes: Uint8Array; mediaType: string } | undefined
  /** The workspace that its cost counts for. */
  folder?: string | undefined
  /** The chat that it belongs to. */
  sessionId?: string | undefined
  /** The person who asked for it outside of a chat. Null without accounts. */
  ownerId?: string | null | undefined
}

/** The bytes are a blob, served at `url`. */
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
  /** Progress from 0 to 1, if the provider reports it. */
  progress?: number
  files: MediaFile[]
  /** Settings the provider ignored, as sentences. */
  warnings: string[]
  errorCode?: MediaErrorCode
  message?: string
  createdAt: number
  endedAt?: number
  sessionId?: string
  ownerId?: string
}

export interface Media {
  /** Throws a `NamedError` whose `data.errorCode` is one of ours. */
  start(request: MediaRequest): Promise<MediaTask>
  get(taskId: string): Promise<MediaTask | undefined>
  /** Resolves when the task has ended. Aborting the signal stops it. */
  ended(taskId: string, signal?: AbortSignal): Promise<MediaTask>
}

/** Spoken words of recordings as text (`ctx.transcription`). */
export interface Transcription {
  /** The model in use, as `provider/model`. Undefined if no connected provider offers one. */
  model(): Promise<string | undefined>
  /** Longest file that providers take. */
  maxBytes: number
  /** Counts for the budget. Rejects with a reason for the model. */
  transcribe(request: TranscriptionRequest, signal: AbortSignal): Promise<Transcript>
}

export interface TranscriptionRequest {
  bytes: Uint8Array
  /** Length of the recording. Default: estimated from its size. */
  seconds?: number | undefined
  /** ISO 639 code of the spoken language. Default: detected. */
  language?: string | undefined
  /** The folder that the call counts for. */
  folder?: string | undefined
}

export interface Transcript {
  /** `provider/model` */
  model: string
  text: string
  /** With the second at which each starts. Empty if the provider does not report them. */
  segments: readonly { start: number; text: string }[]
}

/** Describes images for models that cannot see them (`RunInput.vision`). */
export interface Vision {
  /** The model that describes images for this one, and whether the chat may use it. Undefined if no model has vision. */
  offer(at: VisionChat): Promise<{ model: string; allowed: 'yes' | 'no' | 'ask' } | undefined>
  /** Keeps the user's answer: for this chat, or for all chats. */
  remember(at: VisionChat, choice: 'chat' | 'always' | 'never'): Promise<void>
  /** Counts for the budget. Rejects with a reason for the model. */
  describe(image: DescribedImage, at: VisionChat, signal: AbortSignal): Promise<ImageDescription>
}

export interface VisionChat {
  sessionId: string
  /** The model without vision, as `provider/model`. */
  chatModel: string
  /** The folder that the cost counts for. */
  folder: string
}

export interface DescribedImage {
  /** Hash of the blob. */
  sha256: string
  name: string
}

export interface ImageDescription {
  /** `provider/model` */
  model: string
  text: string
  tokens: number
  /** US dollars, if the price is known. */
  cost: number
}

/**
 * Language servers of the folder (`ctx.code`). Absent if the folder is not trusted. A server that fails or hangs never
 * affects the run.
 */
export interface CodeIntelligence {
  /** Loads a file that an agent reads, so that its problems are known before it is changed. Returns at once. */
  noteRead(path: string): void
  /** Resolves to the problems that a change of these files caused, for the model. Takes at most two seconds. */
  problemsAfter(paths: readonly string[], signal: AbortSignal): Promise<string | undefined>
  /** Rejects with a reason for the model. `hides` leaves out files. */
  ask(
    question: CodeQuestion,
    call: { signal: AbortSignal; hides?: ((real: string) => boolean) | undefined },
  ): Promise<CodeAnswer>
}

export interface CodeQuestion {
  action: 'definition' | 'references' | 'hover' | 'symbols' | 'diagnostics'
  /** Absolute. Only a search for symbols can do without. */
  path?: string | undefined
  /** 1-based. */
  line?: number | undefined
  column?: number | undefined
  symbol?: string | undefined
}

export interface CodeAnswer {
  text: string
  places: { path: string; line: number; text: string }[]
  total: number
}

/** Bytes keyed by SHA-256. History contains hashes, never base64. */
export interface Blobs {
  put(bytes: Uint8Array, mediaType: string): Promise<{ sha256: string; size: number; mediaType: string }>
  get(sha256: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>
  /** Path of the bytes, where blobs are files. */
  fileOf?(sha256: string): Promise<string | undefined>
  /** Returns false if there was none. The caller must know that it is no longer needed. */
  remove?(sha256: string): Promise<boolean>
}
