import type { ToolContext } from '../tool/tool.ts'
import type { Hook, HookAnswer, HookOccasion, PermissionCall } from './hook.ts'

/** What the hooks of one event said together. */
export interface HookVerdict {
  /** Deny before ask before allow, whichever hook said it. */
  decision?: 'allow' | 'deny' | 'ask'
  /** Whose decision it is, and why. */
  hook?: string
  reason?: string
  /** The input as the hooks left it, and the last that changed it. */
  rewritten?: { input: unknown; hook: string }
  context: { hook: string; text: string }[]
}

interface HookRun {
  /** Absent at the end of a run. */
  call?: { tool: PermissionCall['tool']; ctx: ToolContext }
  /** The input as a tool takes it; throws an Error when it does not fit. For hooks that look at what others rewrote. */
  check?(input: unknown): unknown
  signal: AbortSignal
}

/**
 * Lets every hook of the occasion's event speak, one after the other, each on the input that the one before it left. The
 * first that denies is the last that is asked. A hook that fails in any way denies. Rejects only when the signal is
 * aborted.
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

/** Within its time: a hook that ignores its signal cannot hold the run back. */
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
    verdict.reason = reason ?? `The hook ${name} says ${decision}.`
  }
  if (input === undefined || occasion.event !== 'before-call') return occasion
  verdict.rewritten = { input, hook: name }
  return { ...occasion, input }
}

/** A text for the model with what hooks have to add to it, each as data that cannot pass for anything around it. */
export function withHookContext(text: string, context: HookVerdict['context']): string {
  const added = context.map(
    ({ hook, text: said }) =>
      `<hook-context name=${JSON.stringify(hook).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')}>\n${said.replace(/<(?=\s*\/?\s*hook-context)/gi, '<\\')}\n</hook-context>`,
  )
  return [text, ...added].join('\n\n')
}
