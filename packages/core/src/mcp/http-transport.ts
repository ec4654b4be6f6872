import type { FetchLike, JSONRPCMessage, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import { limitBody } from '../limit-body.ts'
import type { McpLimits } from './mcp-limits.ts'
import { createMessageGuard } from './message-guard.ts'
import { messageTooLong, type ServerTransport } from './stdio-transport.ts'

export interface HttpOptions {
  type: 'http' | 'sse'
  url: string
  headers: Record<string, string>
  limits: McpLimits
  authProvider?: OAuthClientProvider
}

/** The SDK's transports, with a limit to what the other side may send. */
export async function createHttpTransport(options: HttpOptions): Promise<ServerTransport> {
  const { SSEClientTransport, SseError, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { type, limits, headers, authProvider } = options
  let why: string | undefined
  let isOpen = false
  const guard = createMessageGuard(limits)
  const given = {
    fetch: limitedFetch(limits.messageBytes, (reason) => fail(reason)),
    requestInit: { headers },
    ...(authProvider !== undefined && { authProvider }),
  }
  const url = new URL(options.url)
  const inner: Transport =
    type === 'sse' ? new SSEClientTransport(url, given) : new StreamableHTTPClientTransport(url, given)
  const hasPerRequestStream = inner.hasPerRequestStream
  const transport: ServerTransport = {
    reason: () => why,
    ...(hasPerRequestStream !== undefined && { hasPerRequestStream }),
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
