import { randomUUID } from 'node:crypto'
import path from 'node:path'
import type { FetchLike, JSONRPCMessage, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import { childEnvironment } from '../process/child-environment.ts'
import { mcpLimits, type McpLimits, type McpServerConfig } from './server-config.ts'
import {
  createMessageGuard,
  createStdioTransport,
  messageTooLong,
  type ServerTransport,
  type StdioOptions,
} from './stdio-transport.ts'

export interface TransportOptions {
  /** Where a process starts, and where a relative `cwd` of its begins. */
  folder: string
  /** The environment that the clean one is made from. */
  env?: NodeJS.ProcessEnv
  limits?: Partial<McpLimits>
  onText(text: string): void
  warden?: StdioOptions['warden']
  /** What processes are known by, before a dot. */
  mark?: string
  authProvider?: OAuthClientProvider
}

/** The way to a server. A process sees a clean environment and what its entry gives it, nothing else of ours. */
export function createTransport(config: McpServerConfig, options: TransportOptions): Promise<ServerTransport> {
  const { folder, env, onText, warden, authProvider, mark = 'mcp' } = options
  const limits = { ...mcpLimits, ...options.limits }
  if (config.type !== 'stdio')
    return createHttpTransport({ ...config, limits, ...(authProvider !== undefined && { authProvider }) })
  const { command, args, cwd = '.' } = config
  return Promise.resolve(
    createStdioTransport({
      command,
      args,
      cwd: path.resolve(folder, cwd),
      env: { ...childEnvironment(env), ...config.env, TROUPE_TASK: `${mark}.${randomUUID()}` },
      limits,
      onText,
      warden,
    }),
  )
}

interface HttpOptions {
  type: 'http' | 'sse'
  url: string
  headers: Record<string, string>
  limits: McpLimits
  authProvider?: OAuthClientProvider
}

/** The SDK's transports, with a limit to what the other side may send. */
async function createHttpTransport(options: HttpOptions): Promise<ServerTransport> {
  const { SSEClientTransport, SseError, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { type, limits, headers, authProvider } = options
  let why: string | undefined
  let isOpen = false
  const guard = createMessageGuard(limits)
  const given = {
    fetch: limitedFetch(limits.messageBytes, (reason) => fail(reason)),
    requestInit: { headers },
    authProvider,
  }
  const url = new URL(options.url)
  const inner: Transport =
    type === 'sse' ? new SSEClientTransport(url, given) : new StreamableHTTPClientTransport(url, given)
  const hasPerRequestStream = inner.hasPerRequestStream
  const transport: ServerTransport = {
    reason: () => why,
    hasPerRequestStream,
    get sessionId() {
      return inner.sessionId
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    async start() {
      inner.onclose = () => transport.onclose?.()
      inner.onerror = (error) => {
        // A stream that is opened again belongs to a session that has not begun: the handshake has to come first.
        if (error instanceof SseError && isOpen) fail('closed its stream of events')
        transport.onerror?.(error)
      }
      inner.onmessage = (message: JSONRPCMessage, extra) => {
        if (why !== undefined) return
        const problem = guard.incoming(message)
        if (problem === undefined) transport.onmessage?.(message, extra)
        else fail(problem)
      }
      await inner.start()
      isOpen = true
    },
    send(message, sendOptions) {
      guard.outgoing(message)
      return inner.send(message, sendOptions)
    },
    async close() {
      await inner.close()
    },
  }
  return transport

  function fail(reason: string): void {
    if (why !== undefined) return
    why = reason
    inner.close().catch((error: unknown) => transport.onerror?.(error as Error))
  }
}

/** No answer, and no line of a stream, is longer than this. */
function limitedFetch(bytes: number, onTooLong: (reason: string) => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    const error = (): Error => {
      onTooLong(messageTooLong(bytes))
      return new Error(`The server ${messageTooLong(bytes)}.`)
    }
    const perLine = response.headers.get('content-type')?.includes('event-stream') === true
    return limitBody(response, { bytes, perLine, error })
  }
}

interface BodyLimit {
  bytes: number
  /** Each line may be that long, and the whole as long as it likes: for streams of events. */
  perLine: boolean
  /** What reading the body throws once it is too long. */
  error: () => Error
}

/** The same response, whose body ends with an error when it grows too long. Nothing beyond the limit is kept. */
export function limitBody(response: Response, { bytes, perLine, error }: BodyLimit): Response {
  if (response.body === null) return response
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
  let length = 0
  const limited = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      const newline = perLine ? value.lastIndexOf(10) : -1
      length = newline === -1 ? length + value.length : value.length - newline - 1
      if (length <= bytes && value.length <= bytes) return controller.enqueue(value)
      const problem = error()
      reader.cancel(problem).catch(() => undefined)
      controller.error(problem)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const { status, statusText, headers } = response
  const copy = new Response(limited, { status, statusText, headers })
  // What was asked for and what answered matters to checks of redirects.
  Object.defineProperties(copy, { url: { value: response.url }, redirected: { value: response.redirected } })
  return copy
}

/** What keeps the tokens of a server, and sends the person to where they log in. */
export type McpLogin = OAuthClientProvider

/** What a server says of the login that it wants. */
export interface McpChallenge {
  scope?: string
  resourceMetadataUrl?: string
}

/** Begins a login, or ends it with the code that the person came back with. */
export async function loginToMcp(
  login: McpLogin,
  options: { serverUrl: string; challenge: McpChallenge; authorizationCode?: string; iss?: string; anew?: boolean },
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const { auth } = await import('@modelcontextprotocol/client')
  const { serverUrl, challenge, authorizationCode, iss, anew } = options
  return auth(login, {
    serverUrl,
    scope: challenge.scope,
    ...(challenge.resourceMetadataUrl !== undefined && { resourceMetadataUrl: new URL(challenge.resourceMetadataUrl) }),
    authorizationCode,
    iss,
    ...(anew === true && { forceReauthorization: true }),
  })
}

/** Knocks once without a token, to hear what login the server wants. */
export async function askForChallenge(serverUrl: string, signal: AbortSignal): Promise<McpChallenge> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const response = await fetch(serverUrl, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    signal,
  })
  await response.body?.cancel()
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response)
  return {
    scope,
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: resourceMetadataUrl.href }),
  }
}
