import { z } from 'zod'
import type { ToolContext } from '../tool.ts'

export interface PageRequest {
  /** A file of the page's `actions/`: the list of what a page may be asked to do. */
  action: string
  input: Readonly<Record<string, unknown>>
  title: string
  summary?: string
  timeoutSec?: number | undefined
  /** The page does it only when the person says so there: it waits for a click. */
  byPerson?: true
}

/** How long a page has where the model does not say, and how long a person has: they have to see it, and to look for it. */
export const pageSeconds = 60
export const personSeconds = 600
/** A day. */
export const maxPageSeconds = 86_400

export const timeoutSec = seconds('page', pageSeconds)
export const personTimeoutSec = seconds('person', personSeconds)

function seconds(who: string, usual: number) {
  return z
    .number()
    .positive()
    .max(maxPageSeconds)
    .describe(`Seconds to wait for the ${who}; ${usual} if not given, at most ${maxPageSeconds}`)
    .optional()
}

const acknowledged = z.object({
  status: z.enum(['success', 'failed']),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
})

/**
 * Has an open page do something, and gives what it brings back. What comes from a page is checked by the schema. Throws
 * what the model should know where the page could not, the person did not want to, or nobody answered.
 */
export async function askPage<Output>(
  ctx: Pick<ToolContext, 'ask'>,
  request: PageRequest,
  schema: z.ZodType<Output>,
): Promise<Output> {
  const { action, input, title, summary, byPerson } = request
  const usual = byPerson === true ? personSeconds : pageSeconds
  const answer = await ctx.ask({
    kind: 'browser',
    title,
    ...(summary !== undefined && { summary }),
    content: { action, input, ...(byPerson === true && { byPerson }) },
    timeoutMs: (request.timeoutSec ?? usual) * 1000,
  })
  if (answer.type === 'deny')
    throw new Error(`The person did not want it${answer.remark === undefined ? '.' : `, and says: ${answer.remark}`}`)
  const read = answer.type === 'answers' ? acknowledged.safeParse(answer.answers) : undefined
  if (read?.success !== true) throw new Error('The page answered in a way that cannot be read.')
  const { status, output, errorText } = read.data
  if (status === 'failed') throw new Error(errorText ?? 'The page could not do it, and did not say why.')
  const checked = schema.safeParse(output)
  if (!checked.success)
    throw new Error(`The page answered in a way that cannot be read: ${z.prettifyError(checked.error)}`)
  return checked.data
}
