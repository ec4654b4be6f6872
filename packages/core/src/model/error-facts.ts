export interface ErrorFacts {
  /** The provider's message if there is one, otherwise the error's. */
  message: string
  status?: number | undefined
  body: string
  /** Lowercase names, types, and codes that the provider gives the error. */
  marks: string
  networkCode?: string | undefined
  names: string[]
  retryable?: boolean | undefined
  retryAfterMs?: number | undefined
}

/** Reads the error and its causes. The outermost says what happened; an inner one often says where and why. */
export function gatherFacts(error: unknown, now: number): ErrorFacts {
  const chain = unfold(error)
  const payloads = chain.flatMap(payloadsOf)
  const marks = [...chain, ...payloads]
    .flatMap((link) => [link['type'], link['code'], link['status'], link['reason'], ...detailReasons(link)])
    .filter((mark) => typeof mark === 'string')
    .join(' ')
    .toLowerCase()
  const body = find(chain, (link) => textIn(link, 'responseBody')) ?? ''
  const headers = find(chain, (link) => link['responseHeaders'] as Record<string, string> | undefined) ?? {}
  const networkCode = find(chain, networkCodeOf) ?? (chain.some(isFetchFailure) ? 'FETCH_FAILED' : undefined)
  // A status without a response is made up: the gateway's SDK reports every failed connection as 500.
  const invented = networkCode !== undefined && !chain.some((link) => link['responseHeaders'] !== undefined)
  const told = find(chain, (link) => httpStatus(link['statusCode'])) ?? find(payloads, payloadStatus)
  const own =
    networkCode === undefined
      ? textIn(chain[0], 'message')
      : find(chain.toReversed(), (link) => textIn(link, 'message'))
  return {
    message: (find(payloads, payloadMessage) ?? (isHtml(body) ? '' : own) ?? (typeof error === 'string' ? error : ''))
      .slice(0, 2000)
      .trim(),
    status: invented ? undefined : (told ?? statusOfMarks(marks)),
    body,
    marks,
    networkCode,
    names: chain.map((link) => textIn(link, 'name') ?? ''),
    retryable: find(chain, (link) => (typeof link['isRetryable'] === 'boolean' ? link['isRetryable'] : undefined)),
    retryAfterMs: retryAfter(headers, find(payloads, payloadDelay), now),
  }
}

type Link = Record<string, unknown>

function unfold(error: unknown): Link[] {
  const chain: Link[] = []
  const open: unknown[] = [error]
  while (open.length > 0 && chain.length < 20) {
    const link = open.shift()
    if (!isLink(link) || chain.includes(link)) continue
    const { lastError, cause, errors } = link
    if (lastError === undefined) {
      chain.push(link)
      open.push(cause, ...(Array.isArray(errors) ? (errors as unknown[]).slice(0, 3) : []))
    } else open.push(lastError)
  }
  return chain
}

/**
 * Collects the provider's own payloads: parsed data, the JSON body, an unexpected error frame in a stream, or the error
 * itself if it is a bare payload.
 */
function payloadsOf(link: Link): Link[] {
  const found: unknown[] = [link['data'], parse(link['responseBody'])]
  if (link['name'] === 'AI_TypeValidationError' && isLink(link['value']) && 'error' in link['value'])
    found.push(link['value'])
  if (!(link instanceof Error)) found.push(link)
  return found
    .flatMap((payload) => (Array.isArray(payload) ? (payload as unknown[]) : [payload]))
    .filter(isLink)
    .flatMap((outer) => {
      const inner = outer['error'] ?? (isLink(outer['response']) ? outer['response']['error'] : undefined)
      return isLink(inner) ? [inner, outer] : [outer]
    })
}

function isLink(value: unknown): value is Link {
  return typeof value === 'object' && value !== null
}

function payloadMessage(payload: Link): string | undefined {
  for (const field of ['message', 'error', 'detail', 'msg', 'error_msg']) {
    const text = textIn(payload, field)
    if (text !== undefined) return text
  }
  return undefined
}

function payloadStatus(payload: Link): number | undefined {
  return httpStatus(payload['status_code']) ?? httpStatus(payload['status']) ?? httpStatus(payload['code'])
}

/** Google puts the reason in `details: [{reason: 'API_KEY_INVALID'}]`. */
function detailReasons(payload: Link): unknown[] {
  const details = payload['details']
  return Array.isArray(details) ? details.slice(0, 20).map((detail: unknown) => isLink(detail) && detail['reason']) : []
}

/** Google puts the delay in `details: [{retryDelay: '34s'}]`. */
function payloadDelay(payload: Link): string | undefined {
  const details = payload['details']
  if (!Array.isArray(details)) return undefined
  return find(details as Link[], (detail) => textIn(detail, 'retryDelay'))
}

function statusOfMarks(marks: string): number | undefined {
  if (/overloaded/.test(marks)) return 529
  if (/rate_?limit|insufficient_quota|resource_exhausted/.test(marks)) return 429
  if (/authentication|invalid_api_key|unauthenticated/.test(marks)) return 401
  if (/permission/.test(marks)) return 403
  if (/server_error|api_error|unavailable/.test(marks)) return 500
  if (/invalid_request|invalid_argument|context_length/.test(marks)) return 400
  return undefined
}

/** Delay requested by the provider, in milliseconds. */
function retryAfter(headers: Record<string, string>, bodyDelay: string | undefined, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (exact >= 0) return Math.round(exact)
  const header = headers['retry-after']
  if (header !== undefined) {
    if (/^\s*[\d.]+\s*$/.test(header)) return Math.round(Number.parseFloat(header) * 1000)
    const date = Date.parse(header)
    if (!Number.isNaN(date)) return Math.max(0, date - now)
  }
  const seconds = Number.parseFloat(bodyDelay ?? '')
  return seconds >= 0 ? Math.round(seconds * 1000) : undefined
}

function networkCodeOf(link: Link): string | undefined {
  const code = link['code']
  if (typeof code === 'string' && /^(E[A-Z_]{3,}|UND_ERR_\w+|ERR_(TLS|SSL)\w*|CERT_\w+|\w*_CERT(_\w+)?)$/.test(code))
    return code
  return undefined
}

function isFetchFailure(link: Link): boolean {
  return link instanceof TypeError && /^(fetch failed|failed to fetch|terminated)$/i.test(link.message)
}

export function isHtml(body: string): boolean {
  return /^\s*<(!doctype\s+html|html|head|body)\b/i.test(body)
}

function httpStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && status >= 100 && status <= 599 ? status : undefined
}

function textIn(link: Link | undefined, field: string): string | undefined {
  const text = link?.[field]
  return typeof text === 'string' && text.trim() !== '' ? text : undefined
}

function parse(body: unknown): unknown {
  if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function find<T, R>(values: readonly T[], pick: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = pick(value)
    if (found !== undefined) return found
  }
  return undefined
}

/** Masks anything that looks like a key, for texts that quote the request. */
export function maskKeys(text: string): string {
  return text.replace(
    /\b(?:sk|pk|xai|gsk|AIza|vck)[-_][\w-]{16,}|\bAIza[\w-]{20,}|\bBearer\s+[\w.-]{16,}/g,
    '[redacted]',
  )
}
