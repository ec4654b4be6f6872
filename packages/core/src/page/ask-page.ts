import { z } from 'zod'
import type { ToolContext } from '../tool/tool.ts'

export interface PageRequest {
  /** Name of a file in the page's `actions/`, which lists everything a page can be asked to do. */
  action: string
  input: Readonly<Record<string, unknown>>
  title: string
  summary?: string
  timeoutSec?: number | undefined
  /** The page waits for the person to confirm with a click. */
  byPerson?: true
}

/** Default timeouts in seconds. A person gets longer than a page, since they must notice the request first. */
export const pageSeconds = 60
const personSeconds = 600
export const maxPageSeconds = 86_400

export const timeoutSec = seconds('page', pageSeconds)
export const personTimeoutSec = seconds('person', personSeconds)

function seconds(who: string, usual: number) {
  return z
    .number()
    .positive()
    .max(maxPageSeconds)
    .describe(`Seconds to wait for the ${who}. Default ${usual}, maximum ${maxPageSeconds}`)
    .optional()
}

const acknowledged = z.object({
  status: z.enum(['success', 'failed']),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
})

/**
 * Asks an open page to run an action and returns its output, validated with the schema. Throws a message for the model
 * if the page fails, the person declines, or nobody answers.
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
    summary,
    content: { action, input, byPerson: byPerson || undefined },
    timeoutMs: (request.timeoutSec ?? usual) * 1000,
  })
  if (answer.type === 'deny')
    throw new Error(`The user declined${answer.remark === undefined ? '.' : ` and said: ${answer.remark}`}`)
  const read = answer.type === 'answers' ? acknowledged.safeParse(answer.answers) : undefined
  if (read?.success !== true) throw new Error('The page sent an invalid answer.')
  const { status, output, errorText } = read.data
  if (status === 'failed') throw new Error(errorText ?? 'The page failed without giving a reason.')
  const checked = schema.safeParse(output)
  if (!checked.success) throw new Error(`The page sent an invalid answer: ${z.prettifyError(checked.error)}`)
  return checked.data
}

const maxAddressLength = 2000

/**
 * Parses a URL as a model or person writes it. Adds `https://` if there is no scheme, or `http://` for this machine.
 * Throws a message with advice if it is not a web URL.
 */
export function pageAddress(given: string): URL {
  const text = given.trim()
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  if (text.length > maxAddressLength) throw new Error(`The URL is longer than ${maxAddressLength} characters.`)
  // Parsers drop some of these, so that what is checked would not be what is opened.
  // oxlint-disable-next-line no-control-regex
  if (text === '' || text.startsWith('/') || /[\u0000-\u0020\u007f\\]/.test(text))
    throw new Error(`"${shown}" is not a URL. Give one such as "https://example.com/page".`)
  const url = URL.parse(hasScheme(text) ? text : `${isHere(text) ? 'http' : 'https'}://${text}`)
  if (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`"${shown}" cannot be opened. Only http and https URLs are supported.`)
  if (url === null || url.hostname === '')
    throw new Error(`"${shown}" is not a URL. Give one such as "https://example.com/page".`)
  if (url.username !== '' || url.password !== '')
    throw new Error('URLs that contain a user name or password cannot be opened. Remove them.')
  return url
}

/** `host:8080` is a port. `mailto:x` and `javascript:x` are schemes. */
function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^(localhost|[^:/]*\.[^:/]*):\d{1,5}(?:[/?#]|$)/i.test(text)
}

function isHere(text: string): boolean {
  return /^(?:[^:/?#]+\.)?localhost(?:[:/?#]|$)|^127\.\d{1,3}\.\d{1,3}\.\d{1,3}(?:[:/?#]|$)|^\[::1\](?:[:/?#]|$)/i.test(
    text,
  )
}
