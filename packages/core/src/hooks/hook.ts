import type { AskKind } from '../asks.ts'
import type { PermissionCall } from './match-call.ts'
import type { ToolContext } from '../tool.ts'

export const hookEvents = ['before-call', 'after-call', 'ask', 'run-end'] as const
export type HookEvent = (typeof hookEvents)[number]

interface HookRunFields {
  sessionId: string
  runId: string
  messageId: string
  /** Master first, the agent that is at work last. */
  agentPath: readonly string[]
  /** The folder that is worked in. */
  workspace: string
}

interface HookCallFields extends HookRunFields {
  /** The agent's working directory: where relative paths in the input start. */
  cwd: string
  toolCallId: string
  toolName: string
  /** As it would run, or ran: what the model gave, or what a hook or a person made of it. */
  input: unknown
}

/** What a hook is told. A command reads it as JSON from its standard input. */
export type HookOccasion =
  /** A call is about to be decided on. */
  | ({ event: 'before-call' } & HookCallFields)
  /** A call has its result: an output, or the text of an error. */
  | ({ event: 'after-call'; output?: unknown; error?: string; elapsedMs?: number } & HookCallFields)
  /** A person is about to be asked. */
  | ({
      event: 'ask'
      kind: AskKind
      title: string
      reason: string
      rule: string | null
      content: unknown
    } & HookCallFields)
  /** A turn is over; `text` is what the model said last. */
  | ({ event: 'run-end'; status: string; text: string; error?: string } & HookRunFields)

/** What a hook may say. Saying nothing lets things take their course. */
export interface HookAnswer {
  /** `allow` counts as an allow rule; `deny` and `ask` always hold. */
  decision?: 'allow' | 'deny' | 'ask'
  /** A sentence for the person and the model. */
  reason?: string
  /** Before a call: runs instead of what was given, once it has been checked and decided on like any other. */
  input?: unknown
  /** Told to the model with the result of the call, as data. */
  context?: string
}

/** Something of the person's own that has a word in what runs. */
export interface Hook {
  /** How messages name it. */
  name: string
  event: HookEvent
  /** A hook that takes longer has failed. */
  timeoutMs: number
  /** What is run, where it is a command. */
  command?: string
  /** The rules that say which calls it is about. Absent: about every call. */
  match?: readonly string[]
  /** Whether it is about this call. Absent: about every call. */
  meets?(call: PermissionCall, ctx: ToolContext): boolean | Promise<boolean>
  /** Must end when the signal is aborted. Whatever it throws means that the hook has failed, and the call is denied. */
  run(occasion: HookOccasion, signal: AbortSignal): Promise<HookAnswer | undefined>
}

/** What a file in `hooks/` exports by default. */
export interface HookDefinition<Event extends HookEvent = HookEvent> {
  event: Event
  /** Rules that name the calls it is about: `Bash`, `Edit(src/**)`, `mcp__server`. Absent: every call. */
  match?: string | readonly string[]
  timeoutMs?: number
  run(
    occasion: Extract<HookOccasion, { event: Event }>,
    signal: AbortSignal,
  ): HookAnswer | undefined | void | Promise<HookAnswer | undefined | void>
}

export function defineHook<Event extends HookEvent>(definition: HookDefinition<Event>): HookDefinition<Event> {
  return definition
}

export const defaultHookMs = 30_000
