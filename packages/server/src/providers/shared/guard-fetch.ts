/**
 * The fetch that every SDK is given. What an SDK would take for an empty answer becomes an error here: a web page, or
 * plain JSON where a stream was asked for. Redirects are not followed, as fetch would carry key headers along to another
 * host. The key is taken out of error bodies that quote it.
 */
export function guardFetch(inner: typeof fetch | undefined, redact: (text: string) => string): typeof fetch {
  return async (input, init) => {
    const response = await (inner ?? fetch)(input, { ...init, redirect: 'manual' })
    if (response.ok && !isUnexpected(response, input, init)) return response
    const body = redact(await readSome(response))
    if (response.status < 400) throw await strangeAnswer(response, input, body)
    const headers = new Headers(response.headers)
    for (const name of ['content-encoding', 'content-length']) headers.delete(name)
    return new Response(body, { status: response.status, statusText: response.statusText, headers })
  }
}

function isUnexpected(response: Response, input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  const type = response.headers.get('content-type') ?? ''
  return /text\/html/i.test(type) || (/application\/json/i.test(type) && isStreaming(input, init))
}

function isStreaming(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  if (urlOf(input).includes(':streamGenerateContent')) return true
  if (new Headers(init?.headers).get('ai-language-model-streaming') === 'true') return true
  return typeof init?.body === 'string' && /"stream"\s*:\s*true/.test(init.body)
}

async function strangeAnswer(response: Response, input: Parameters<typeof fetch>[0], body: string): Promise<Error> {
  const { APICallError } = await import('@ai-sdk/provider')
  const redirected = response.status >= 300
  return new APICallError({
    message: redirected ? `redirected to ${response.headers.get('location') ?? 'nowhere'}` : 'not a stream',
    url: urlOf(input),
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: body,
    isRetryable: false,
  })
}

function urlOf(input: Parameters<typeof fetch>[0]): string {
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
