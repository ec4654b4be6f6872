import { z } from 'zod'
import { callFacts } from '../permission/call-facts.ts'
import { findRule } from '../permission/match-rules.ts'
import { parseRule } from '../permission/parse-rule.ts'
import { createPolicy } from '../permission/policy.ts'
import type { AskKind } from '../tool/asks.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'

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

export interface PermissionCall {
  tool: Tool
  input: unknown
}

/** Where path rules of a hook start from. */
export interface MatchPlace {
  /** The folder that `/` starts from: the workspace, or the person's home. */
  base: string
  /** The person's home folder, for `~/`. */
  home: string
}

/**
 * The part of a hook that says which calls it is about: those that any of the rules meets as a deny rule would, at
 * whatever depth of a command, or may meet. Absent or `*`: all. Rules that cannot be read fail the hook at every call.
 */
export function createMatcher(
  match: string | readonly string[] | undefined,
  place: MatchPlace,
): Pick<Hook, 'match' | 'meets'> {
  const rules = typeof match === 'string' ? [match] : (match ?? ['*'])
  if (rules.includes('*')) return {}
  const problem = rules.map(problemOf).find((one) => one !== undefined)
  if (problem !== undefined)
    return { match: rules, meets: () => Promise.reject(new Error(`its match cannot be read: ${problem}`)) }
  const policy = createPolicy({ deny: rules }, place)
  return {
    match: rules,
    meets(call, ctx) {
      const facts = callFacts(call, ctx, policy)
      return facts.unknown !== undefined || findRule(policy.rules.index.deny, facts) !== undefined
    },
  }
}

function problemOf(rule: string): string | undefined {
  try {
    parseRule(rule)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const schema = z.looseObject({
  decision: z.enum(['allow', 'deny', 'ask']).optional(),
  reason: z.string().max(20_000).optional(),
  input: z.unknown().optional(),
  context: z.string().max(200_000).optional(),
})

/** What a hook said, checked: it may come from anywhere. Throws an Error that says what is wrong with it. */
export function checkHookAnswer(value: unknown): HookAnswer {
  const result = schema.safeParse(value)
  if (!result.success) throw new Error(`its answer is not valid: ${z.prettifyError(result.error)}`)
  const { decision, reason, context } = result.data
  return {
    ...(decision !== undefined && { decision }),
    ...(reason !== undefined && { reason }),
    ...(result.data.input !== undefined && { input: result.data.input }),
    ...(context !== undefined && { context }),
  }
}
