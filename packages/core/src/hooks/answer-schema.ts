import { z } from 'zod'
import type { HookAnswer } from './hook.ts'

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
