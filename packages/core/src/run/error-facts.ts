export interface ErrorFacts {
  /** The text of the provider where there is one, else of the error. */
  message: string
  status?: number | undefined
  body: string
  /** Names, types and codes, lower case: what a provider calls the error. */
  marks: string
  networkCode?: string | undefined
  names: string[]
  retryable?: boolean | undefined
  retryAfterMs?: number | undefined
}

/** Reads the error and its causes: the outermost says what happened, an inner one often where and why. */
export function gatherFacts(error: unknown, now: number): ErrorFacts {
  const chain = unfold(error)
  const payloads = chain.flatMap(payloadsOf)
  const status = find(chain, (link) => httpStatus(link['statusCode'])) ?? find(payloads, payloadStatus)
  const marks = [...chain, ...payloads]
    .flatMap((link) => [link['type'], link['code'], link['status'], link['reason']])
    .filter((mark) => typeof mark === 'string')
    .join(' ')
    .toLowerCase()
  const body = find(chain, (link) => textIn(link, 'responseBody')) ?? ''
  const headers = find(chain, (link) => link['responseHeaders'] as Record<string, string> | undefined) ?? {}
  const networkCode = find(chain, networkCodeOf)
  const own =
    networkCode === undefined
      ? textIn(chain[0], 'message')
      : find(chain.toReversed(), (link) => textIn(link, 'message'))
  return {
    message: (find(payloads, payloadMessage) ?? (isHtml(body) ? '' : own) ?? (typeof error === 'string' ? error : ''))
      .slice(0, 2000)
      .trim(),
    status: status ?? statusOfMarks(marks),
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
    if (typeof link !== 'object' || link === null || chain.includes(link as Link)) continue
    const { lastError, cause, errors } = link as { lastError?: unknown; cause?: unknown; errors?: unknown }
    if (lastError === undefined) {
      chain.push(link as Link)
      open.push(cause, ...(Array.isArray(errors) ? (errors as unknown[]).slice(0, 3) : []))
    } else open.push(lastError)
  }
  return chain
}

/**
 * What the provider itself said: parsed data, the JSON body, an error frame that its SDK did not expect in a stream, or
 * the error when it is a bare payload.
 */
function payloadsOf(link: Link): Link[] {
  const found = [link['data'], parse(link['responseBody'])]
  const { value } = link as { value?: unknown }
  if (link['name'] === 'AI_TypeValidationError' && typeof value === 'object' && value !== null && 'error' in value) found.push(value)
  if (!(link instanceof Error)) found.push(link)
  return found
    .flatMap((payload) => (Array.isArray(payload) ? (payload as unknown[]) : [payload]))
    .flatMap((payload) => {
      if (typeof payload !== 'object' || payload === null) return []
      const outer = payload as Link
      const inner = outer['error'] ?? (outer['response'] as Link | undefined)?.['error']
      return typeof inner === 'object' && inner !== null ? [inner, outer] : [outer]
    })
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

/** Google gives the delay as `details: [{retryDelay: '34s'}]`. */
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

/** Milliseconds that the provider asks us to wait. */
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
  const text = textIn(link, 'message') ?? ''
  if (link instanceof TypeError && /^(fetch failed|failed to fetch|terminated)$/i.test(text)) {
    return link['cause'] === undefined ? 'UND_ERR_SOCKET' : undefined
  }
  return undefined
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
