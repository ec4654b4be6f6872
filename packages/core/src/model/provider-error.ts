import { endSentence, providerName } from './check-answer.ts'
import { NamedError } from '@troupe/protocol'
import { type ErrorFacts, gatherFacts, isHtml, maskKeys } from './error-facts.ts'

export type ProviderErrorName =
  | 'ProviderAuth'
  | 'ProviderRateLimit'
  | 'ProviderOverloaded'
  | 'ProviderBadAnswer'
  | 'ProviderConnection'
  | 'ProviderStall'
  | 'ProviderRefused'
  | 'ContextTooLong'
  | 'ProviderError'
  | 'Aborted'

export interface ProviderErrorData {
  statusCode?: number
  retryable: boolean
  retryAfterMs?: number
  /** The provider has lost state that an earlier answer refers to. The request may work without it. */
  forgot?: true
  provider: string
  model: string
}

export interface ErrorPlace {
  provider: string
  model: string
  /** Removes secrets from the provider's text before anyone reads it. */
  redact?: (text: string) => string
  now?: number
}

/**
 * Classifies anything a model call throws or emits as an `error` part: AI SDK errors, fetch and socket errors, bare
 * payloads in a stream. Pure. Matches by shape, so errors from another copy of the SDK work too.
 */
export function describeProviderError(error: unknown, place: ErrorPlace): NamedError {
  const { provider, model } = place
  const named = namedIn(error)
  if (named !== undefined) {
    return new NamedError(named.name, named.message, {
      status: named.status,
      data: { retryable: false, provider, model, ...named.data },
      cause: error,
    })
  }
  const facts = gatherFacts(error, place.now ?? Date.now())
  const verdict = judge(facts, providerName(provider))
  const retryAfterMs = verdict.retryable ? facts.retryAfterMs : undefined
  const data: ProviderErrorData = {
    statusCode: facts.status,
    retryable: verdict.retryable,
    retryAfterMs,
    forgot: isForgotten(facts) || undefined,
    provider,
    model,
  }
  const wait =
    retryAfterMs !== undefined && retryAfterMs > maxRetryAfterMs ? ` Try again in ${inWords(retryAfterMs)}.` : ''
  const text = maskKeys(endSentence(verdict.message) + wait)
  return new NamedError(verdict.name, place.redact?.(text) ?? text, {
    status: statuses[verdict.name],
    data: { ...data },
    cause: error,
  })
}

/** Finds our own error, which an SDK may have wrapped. */
function namedIn(error: unknown): NamedError | undefined {
  let found = error
  for (let depth = 0; depth < 5 && found instanceof Error; depth++) {
    if (found instanceof NamedError) return found
    found = found.cause
  }
  return undefined
}

interface Verdict {
  name: ProviderErrorName
  message: string
  retryable: boolean
}

const statuses: Record<ProviderErrorName, number> = {
  ProviderAuth: 502,
  ProviderRateLimit: 503,
  ProviderOverloaded: 503,
  ProviderBadAnswer: 502,
  ProviderConnection: 502,
  ProviderStall: 504,
  ProviderRefused: 502,
  ContextTooLong: 422,
  ProviderError: 502,
  Aborted: 499,
}

function judge(facts: ErrorFacts, who: string): Verdict {
  const { status, message, names, networkCode } = facts
  const failed = status !== undefined && status >= 400
  const said = message === '' ? '' : `: ${message}`
  if (names.includes('TimeoutError'))
    return { name: 'ProviderStall', message: `${who} did not answer in time.`, retryable: true }
  if (names.includes('AbortError')) return { name: 'Aborted', message: 'The request was stopped.', retryable: false }
  if (!failed && networkCode !== undefined) return judgeNetwork(networkCode, who, message)
  if (!failed && isHtml(facts.body)) {
    return {
      name: 'ProviderBadAnswer',
      message: `${who} answered with a web page${pageTitle(facts.body)} instead of a model response. Check the base URL and any proxy in between.`,
      retryable: false,
    }
  }
  if (isTooLong(facts))
    return { name: 'ContextTooLong', message: `The conversation is too long for the model${said}`, retryable: false }
  if (isAuth(facts)) {
    const code = status === undefined ? '' : ` (${status})`
    return {
      name: 'ProviderAuth',
      message: `${endSentence(`${who} refused the API key${code}${said}`)} Set another key in the settings.`,
      retryable: false,
    }
  }
  if (status !== undefined && status >= 300 && status < 400) {
    const told = endSentence(`${who} was not found at this URL (${status})${said}`)
    return { name: 'ProviderBadAnswer', message: `${told} Check the base URL.`, retryable: false }
  }
  if (status === 429) {
    const spent = /insufficient_quota|insufficient balance|billing|credit/i.test(`${facts.marks} ${message}`)
    return {
      name: 'ProviderRateLimit',
      message: `${who} received too many requests (429)${said}`,
      retryable: !spent && facts.retryable !== false,
    }
  }
  if (status === 408 || status === 504)
    return { name: 'ProviderStall', message: `${who} timed out (${status})${said}`, retryable: true }
  if (status !== undefined && status >= 500) {
    const page = isHtml(facts.body) ? ` with a web page${pageTitle(facts.body)}` : ''
    return { name: 'ProviderOverloaded', message: `${who} failed (${status})${page}${said}`, retryable: true }
  }
  if (failed && isHtml(facts.body)) {
    return {
      name: 'ProviderBadAnswer',
      message: `${who} answered ${status} with a web page${pageTitle(facts.body)}. Check the base URL.`,
      retryable: false,
    }
  }
  if (failed)
    return {
      name: 'ProviderRefused',
      message: `${who} refused the request (${status})${said}`,
      retryable: facts.retryable ?? false,
    }
  if (names.some((name) => badAnswers.has(name)) || (status !== undefined && status < 400)) {
    return { name: 'ProviderBadAnswer', message: `${who} sent an invalid response${said}`, retryable: true }
  }
  if (names.some((name) => refusals.has(name)))
    return { name: 'ProviderRefused', message: `${who} does not support this${said}`, retryable: false }
  return { name: 'ProviderError', message: `${who} failed${said}`, retryable: facts.retryable ?? false }
}

function judgeNetwork(code: string, who: string, message: string): Verdict {
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return { name: 'ProviderStall', message: `${who} stopped answering.`, retryable: true }
  }
  const lasting = code === 'ENOTFOUND' || /CERT|TLS|SSL/.test(code)
  const text = networkTexts[code] ?? `The connection to ${who} failed`
  return {
    name: 'ProviderConnection',
    message: `${text.replace('{who}', who)} (${message || code})`,
    retryable: !lasting,
  }
}

const networkTexts: Record<string, string> = {
  ECONNREFUSED: 'No response from {who}',
  ENOTFOUND: 'The host of {who} was not found. Check your internet connection and the base URL',
  EAI_AGAIN: 'The host of {who} could not be resolved. Check your internet connection',
  ECONNRESET: '{who} closed the connection',
  UND_ERR_SOCKET: '{who} closed the connection',
}

const badAnswers = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
  'AI_NoContentGeneratedError',
  'GatewayResponseError',
  'SyntaxError',
])

const refusals = new Set([
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_LoadSettingError',
])

function isTooLong({ status, marks, message }: ErrorFacts): boolean {
  const told = contextTooLongPattern.test(`${marks} ${message}`)
  return status === 413 || (told && (status === undefined || (status >= 400 && status !== 429 && status !== 401)))
}

const wrongKey =
  /api[_ -]?key[_ ](invalid|expired|not[_ ]valid|not[_ ]found)|(invalid|incorrect|wrong|missing|expired)[_ ]?(x-)?api[_ -]?key|(invalid|incorrect) (authentication|credentials)/i

/** Restrictions of a valid key that another key would not lift. */
const notTheKey = /countr|region|territor|location|geograph|moderation|flagged|content policy|usage polic/i

function isAuth({ status, marks, message, names }: ErrorFacts): boolean {
  const text = `${marks} ${message}`
  if (status === 401 || names.includes('AI_LoadAPIKeyError')) return true
  if (status === 403) return wrongKey.test(text) || !notTheKey.test(text)
  return status === 400 && wrongKey.test(text)
}

const forgotten =
  /item (with id )?['"`]?\w+['"`]? (was )?not found|(items?|previous[_ ]response).{0,80}not found|encrypted[_ ]content|invalid [`'"]?signature|thought[_ ]?signature|referenced.{0,40}not (be )?found/i

/** Response items expire at the provider and are unreadable to other accounts or keys. */
function isForgotten({ status, marks, message }: ErrorFacts): boolean {
  return (status === 400 || status === 404) && forgotten.test(`${marks} ${message}`)
}

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  if (minutes < 120) return `${minutes} minutes`
  const hours = Math.ceil(ms / 3_600_000)
  return hours < 48 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`
}

function pageTitle(body: string): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(body)?.[1]?.trim()
  return title ? ` ("${title}")` : ''
}

/** Maximum Retry-After that is honored. Beyond it, the person decides. */
const maxRetryAfterMs = 60_000

/** Delay before retry `attempt + 1`. Undefined if the provider asks for more than the maximum. */
export function retryDelay(attempt: number, retryAfterMs?: number): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs <= maxRetryAfterMs ? retryAfterMs : undefined
  const backOff = Math.min(500 * 2 ** (attempt - 1), 8_000)
  return Math.round(backOff * (0.75 + Math.random() * 0.5))
}

const contextTooLongPattern = new RegExp(
  [
    // A limit that only concerns the context.
    'context[_ ](length|window|size|limit)|maximum context|max(imum)? (prompt|model) length|exceeded model token limit',
    'exceeds? the available context|range of input length|request_too_large|too large for model',
    // The prompt or its tokens exceed something.
    '(prompt|input|inputs|messages)( tokens)? (is |are )?too long|too many (input )?tokens|reduce the length of (the|your) (messages|prompt|input)',
    '(prompt|input|messages)( tokens?| length| count| total)*( \\(?\\d+\\)?)? exceeds? (the )?(max|limit)',
    'token count.*exceeds|tokens?( \\(\\d+\\))? exceeds? (the )?(model.s )?(max|limit)|tokens .*exceed max',
    '(inputs?|prompt)[`\'" ].{0,60}must (be|have) (<=|≤|less than|at most) ?\\d+|input tokens, but .*at most',
    "'input': string too long",
  ].join('|'),
  'i',
)

/** Extracts the model's token limit and the request's token count from a provider's context length error. */
export function readContextLimit(message: string): { limit?: number; sent?: number } {
  const text = message.replaceAll(/(\d)[,_](?=\d{3}\b)/g, '$1')
  const limit = firstNumber(text, limits)
  const sent = firstNumber(text, counts)
  return {
    limit,
    sent: sent !== undefined && sent > (limit ?? 0) ? sent : undefined,
  }
}

const limits = [
  // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum", "… exceed context limit: 190000 + 20000 > 200000"
  />\s*(\d+)/,
  // Qwen: "Range of input length should be [1, 129024]"
  /\[\s*\d+\s*,\s*(\d+)\s*\]/,
  // "maximum context length is 8192 tokens", "maximum prompt length is 131072", "maximum number of tokens allowed (1048576)"
  /max(?:imum|_model_len|\.)?[a-z_' ]*?(?:length|tokens?|size|window|limit)[a-z_' ]*?(?:is|of|:|=|\(|\bto\b)\s*(?:only\s+)?(\d+)/i,
  // Mistral: "too large for model with 32768 maximum context length"
  /(\d+)\s*(?:tokens?\s*)?max(?:imum)?\b/i,
  // llama.cpp: "exceeds the available context size (4096 tokens)"; LM Studio: "context length of only 4096 tokens"
  /context (?:size|length|window|limit)[a-z ]*?(?:\(|of|is|:|=)\s*(?:only\s+)?(\d+)/i,
  // Moonshot: "exceeded model token limit: 8192"; Copilot: "exceeds the limit of 64000"; "while limit is 8192"
  /limit\s*(?:of|is|:|=)?\s*\(?(\d+)/i,
  // Cohere: "cannot exceed 4081 tokens"; TGI: "must be <= 4096"
  /(?:cannot exceed|must be (?:<=|≤|at most|less than)|at most|up to)\s*(\d+)/i,
  /"n_ctx"\s*:\s*(\d+)/,
]

const counts = [
  /(\d+)\s*tokens?\s*>\s*\d+/i,
  /input token count\s*\(?\s*(?:of\s+)?(\d+)/i,
  /token count of (\d+)/i,
  /(?:resulted in|requested(?: about)?|contains?|received|given:|current length is|request \(|has)\s*(\d+)/i,
  /"n_prompt_tokens"\s*:\s*(\d+)/,
]

/** Smaller numbers are not token limits but something else, such as a status code. */
const fewest = 512

function firstNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const value = Number(pattern.exec(text)?.[1])
    if (value >= fewest && value < 1e9) return value
  }
  return undefined
}
