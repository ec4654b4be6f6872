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
  /** Working directory of a process, and base of its relative `cwd`. */
  folder: string
  /** Environment from which the clean one is built. */
  env?: NodeJS.ProcessEnv
  limits?: Partial<McpLimits>
  onText(text: string): void
  warden?: StdioOptions['warden']
  isolation?: StdioOptions['isolation']
  /** Prefix of the process mark. */
  mark?: string
  authProvider?: OAuthClientProvider
}

/** Creates the transport of a server. A process sees only a clean environment and the variables of its entry. */
export function createTransport(config: McpServerConfig, options: TransportOptions): Promise<ServerTransport> {
  const { folder, env, onText, warden, authProvider, isolation, mark = 'mcp' } = options
  const limits = { ...mcpLimits, ...options.limits }
  if (config.type !== 'stdio') return createHttpTransport({ ...config, limits, authProvider })
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
      isolation,
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
        // A reopened stream starts a new session, which requires a new handshake.
        if (error instanceof SseError && isOpen) fail('closed its event stream')
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

/** Limits the length of each response, or of each line of an event stream. */
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
  /** Applies the limit per line instead of in total, for event streams. */
  perLine: boolean
  error: () => Error
}

/** Returns the response with a body that errors past the limit. Keeps nothing beyond the limit. */
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
  // Copy `url` and `redirected`, which redirect checks rely on.
  Object.defineProperties(copy, { url: { value: response.url }, redirected: { value: response.redirected } })
  return copy
}

/** Stores a server's tokens and sends the person to the login page. */
export type McpLogin = OAuthClientProvider

export interface McpChallenge {
  scope?: string
  resourceMetadataUrl?: string
}

export async function loginToMcp(
  login: McpLogin,
  options: { serverUrl: string; challenge: McpChallenge; authorizationCode?: string; iss?: string; anew?: boolean },
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const { auth } = await import('@modelcontextprotocol/client')
  const { serverUrl, challenge, authorizationCode, iss, anew } = options
  return auth(login, {
    serverUrl,
    scope: challenge.scope,
    resourceMetadataUrl:
      challenge.resourceMetadataUrl === undefined ? undefined : new URL(challenge.resourceMetadataUrl),
    authorizationCode,
    iss,
    forceReauthorization: anew,
  })
}

/** Sends one request without a token to learn which login the server requires. */
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
    resourceMetadataUrl: resourceMetadataUrl?.href,
  }
}
