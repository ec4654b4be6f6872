import type { ToolContext } from '../tool/tool.ts'
import type { Hook, HookAnswer, HookOccasion, PermissionCall } from './hook.ts'

export interface HookVerdict {
  /** Strictest decision of all hooks: deny, then ask, then allow. */
  decision?: 'allow' | 'deny' | 'ask'
  hook?: string
  reason?: string
  /** Final input, and the last hook that changed it. */
  rewritten?: { input: unknown; hook: string }
  context: { hook: string; text: string }[]
}

interface HookRun {
  /** Absent for the end of a run. */
  call?: { tool: PermissionCall['tool']; ctx: ToolContext }
  /** Parses the input with the tool's schema and throws if it is invalid. Used for rewritten inputs. */
  check?(input: unknown): unknown
  signal: AbortSignal
}

/**
 * Runs the event's hooks in order, each with the input left by the previous one. Stops at the first denial. A failed
 * hook denies. Rejects only when the signal aborts.
 */
export async function runHooks(
  hooks: readonly Hook[],
  occasion: HookOccasion,
  { call, check = (input) => input, signal }: HookRun,
): Promise<HookVerdict> {
  const verdict: HookVerdict = { context: [] }
  let now = occasion
  for (const hook of hooks) {
    if (hook.event !== occasion.event) continue
    signal.throwIfAborted()
    try {
      if (call !== undefined && 'input' in now && !(await isTriggered(hook, call, check(now.input)))) continue
      const answer = await answerOf(hook, now, signal)
      now = mergeAnswer(verdict, hook, answer, now)
      if ('input' in now && now !== occasion) check(now.input)
    } catch (error) {
      signal.throwIfAborted()
      const why = error instanceof Error ? error.message : String(error)
      Object.assign(verdict, { decision: 'deny', hook: hook.name, reason: `The hook ${hook.name} failed: ${why}` })
    }
    if (verdict.decision === 'deny') return verdict
  }
  return verdict
}

async function isTriggered(hook: Hook, call: NonNullable<HookRun['call']>, input: unknown): Promise<boolean> {
  return (await hook.meets?.({ tool: call.tool, input }, call.ctx)) ?? true
}

/** Enforces the time limit, so a hook that ignores its signal cannot block the run. */
async function answerOf(hook: Hook, occasion: HookOccasion, signal: AbortSignal): Promise<HookAnswer | undefined> {
  const late = AbortSignal.timeout(hook.timeoutMs)
  const both = AbortSignal.any([signal, late])
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void =>
    reject(signal.aborted ? (signal.reason as Error) : new Error(`it took longer than ${hook.timeoutMs / 1000} s`))
  both.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([hook.run(occasion, both), promise])
  } finally {
    both.removeEventListener('abort', onAbort)
  }
}

const severity = { allow: 1, ask: 2, deny: 3 }

function mergeAnswer(
  verdict: HookVerdict,
  { name }: Hook,
  answer: HookAnswer | undefined,
  occasion: HookOccasion,
): HookOccasion {
  const { decision, reason, input, context } = answer ?? {}
  if (context !== undefined && context.trim() !== '') verdict.context.push({ hook: name, text: context })
  if (
    decision !== undefined &&
    severity[decision] > (verdict.decision === undefined ? 0 : severity[verdict.decision])
  ) {
    verdict.decision = decision
    verdict.hook = name
    verdict.reason = reason ?? `The hook ${name} returned "${decision}".`
  }
  if (input === undefined || occasion.event !== 'before-call') return occasion
  verdict.rewritten = { input, hook: name }
  return { ...occasion, input }
}

/** Appends the context from hooks as delimited data, escaped so that it cannot forge its delimiters. */
export function withHookContext(text: string, context: HookVerdict['context']): string {
  const added = context.map(
    ({ hook, text: said }) =>
      `<hook-context name=${JSON.stringify(hook).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')}>\n${said.replace(/<(?=\s*\/?\s*hook-context)/gi, '<\\')}\n</hook-context>`,
  )
  return [text, ...added].join('\n\n')
}
