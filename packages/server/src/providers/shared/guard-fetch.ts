import { limitBody } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { httpFetch } from './http-fetch.ts'

/**
 * The fetch passed to every SDK. Limits line and response size. Turns responses that an SDK would treat as empty into
 * errors: a web page, or JSON instead of a stream. Does not follow redirects, since fetch would send key headers to
 * another host. Redacts the key from error bodies.
 */
export function guardFetch(inner: typeof fetch | undefined, redact: (text: string) => string): GuardedFetch {
  const guarded = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const response = await checked(inner ?? fetch, input, init)
    return response.ok ? limited(response, () => isStreaming(input, init)) : response
  }
  return Object.assign(guarded, {
    unlimited: (...[input, init]: Parameters<typeof fetch>) => checked(inner ?? httpFetch, input, init),
    tooLong: () => answerTooLong('an event', maxLineBytes),
  })

  async function checked(send: typeof fetch, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const response = await send(input, { ...init, redirect: 'manual' })
    if (response.ok && !isUnexpected(response, input, init)) return response
    const body = redact(await readSome(response))
    if (response.status < 400) throw await strangeAnswer(response, input, body)
    const headers = new Headers(response.headers)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    return new Response(body, { status: response.status, statusText: response.statusText, headers })
  }
}

type GuardedFetch = typeof fetch & StreamingFetch

/** For callers that limit a stream themselves: another wrapper of the body costs more than a small answer. */
export interface StreamingFetch {
  unlimited: typeof fetch
  tooLong(): NamedError
}

/** One line of a stream may contain an image. */
export const maxLineBytes = 16 << 20
/** A whole response may contain several images. */
const maxBodyBytes = 128 << 20
/** Videos arrive as raw bytes and are not held in memory as text. */
const maxFileBytes = 1 << 30

function limited(response: Response, streams: () => boolean): Response {
  const type = response.headers.get('content-type') ?? ''
  const perLine = /event-stream/i.test(type) || streams()
  const bytes = perLine ? maxLineBytes : /^(video|audio|image)\//i.test(type) ? maxFileBytes : maxBodyBytes
  const error = (): Error => answerTooLong(perLine ? 'a line' : 'a response', bytes)
  return limitBody(response, { bytes, perLine, error })
}

function answerTooLong(what: string, bytes: number): NamedError {
  return new NamedError(
    'AnswerTooLong',
    `The provider sent ${what} larger than ${bytes >> 20} MiB, so it was cut off.`,
    {
      status: 502,
      data: { retryable: false },
    },
  )
}

function isUnexpected(response: Response, input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  const type = response.headers.get('content-type') ?? ''
  return /text\/html/i.test(type) || (/application\/json/i.test(type) && isStreaming(input, init))
}

function isStreaming(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  if (requestUrl(input).includes(':streamGenerateContent')) return true
  if (new Headers(init?.headers).get('ai-language-model-streaming') === 'true') return true
  return typeof init?.body === 'string' && /"stream"\s*:\s*true/.test(init.body)
}

async function strangeAnswer(response: Response, input: Parameters<typeof fetch>[0], body: string): Promise<Error> {
  const { APICallError } = await import('@ai-sdk/provider')
  const redirected = response.status >= 300
  return new APICallError({
    message: redirected ? `redirected to ${response.headers.get('location') ?? 'nowhere'}` : 'not a stream',
    url: requestUrl(input),
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: body,
    isRetryable: false,
  })
}

function requestUrl(input: Parameters<typeof fetch>[0]): string {
  return typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
}

const enough = 256 * 1024

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length >= enough) break
  }
  return text
}
