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
  /** From the main agent to the running agent. */
  agentPath: readonly string[]
  workspace: string
}

interface HookCallFields extends HookRunFields {
  /** Agent's working directory. Relative paths in the input resolve against it. */
  cwd: string
  toolCallId: string
  toolName: string
  /** Input as it will run or ran: from the model, or as rewritten by a hook or person. */
  input: unknown
}

/** Event data for a hook. A command reads it as JSON from stdin. */
export type HookOccasion =
  | ({ event: 'before-call' } & HookCallFields)
  | ({ event: 'after-call'; output?: unknown; error?: string; elapsedMs?: number } & HookCallFields)
  | ({
      event: 'ask'
      kind: AskKind
      title: string
      reason: string
      rule: string | null
      content: unknown
    } & HookCallFields)
  /** A turn ended. `text` is the model's last message. */
  | ({ event: 'run-end'; status: string; text: string; error?: string } & HookRunFields)

/** Answer of a hook. No answer means no opinion. */
export interface HookAnswer {
  /** `allow` counts as an allow rule. `deny` and `ask` always apply. */
  decision?: 'allow' | 'deny' | 'ask'
  reason?: string
  /** Before a call: replaces the input. It is validated and decided on like any other. */
  input?: unknown
  /** Sent to the model with the call's result, as data. */
  context?: string
}

/** User-defined hook that can veto, approve, or rewrite calls. */
export interface Hook {
  name: string
  event: HookEvent
  /** A hook that exceeds this has failed. */
  timeoutMs: number
  command?: string
  match?: readonly string[]
  /** True if the hook applies to this call. Absent: every call. */
  meets?(call: PermissionCall, ctx: ToolContext): boolean | Promise<boolean>
  /** Must stop when the signal aborts. If it throws, the hook has failed and the call is denied. */
  run(occasion: HookOccasion, signal: AbortSignal): Promise<HookAnswer | undefined>
}

/** Default export of a file in `hooks/`. */
export interface HookDefinition<Event extends HookEvent = HookEvent> {
  event: Event
  /** Rules that select its calls: `Bash`, `Edit(src/**)`, `mcp__server`. Absent: every call. */
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

export interface MatchPlace {
  /** Folder that `/` refers to: the workspace, or the person's home. */
  base: string
  home: string
}

/**
 * Builds the matcher of a hook. A rule matches as a deny rule would, at any depth of a command, and also if it might
 * match. Absent or `*` matches every call. Invalid rules make the hook fail on every call.
 */
export function createMatcher(
  match: string | readonly string[] | undefined,
  place: MatchPlace,
): Pick<Hook, 'match' | 'meets'> {
  const rules = typeof match === 'string' ? [match] : (match ?? ['*'])
  if (rules.includes('*')) return {}
  const problem = rules.map(problemOf).find((one) => one !== undefined)
  if (problem !== undefined)
    return { match: rules, meets: () => Promise.reject(new Error(`its "match" is invalid: ${problem}`)) }
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

/** Validates a hook's answer, which is untrusted. Throws an Error that names the problem. */
export function checkHookAnswer(value: unknown): HookAnswer {
  const result = schema.safeParse(value)
  if (!result.success) throw new Error(`its output is invalid: ${z.prettifyError(result.error)}`)
  const { decision, reason, input, context } = result.data
  return {
    decision,
    reason,
    input,
    context,
  }
}
