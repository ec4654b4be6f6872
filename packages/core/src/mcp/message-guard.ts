import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import type { McpLimits } from './mcp-limits.ts'

/** Counts what a server sends that nobody asked for. */
export interface MessageGuard {
  outgoing(message: JSONRPCMessage): void
  /** Why the server has to go, once it has sent too much. */
  incoming(message: JSONRPCMessage): string | undefined
  noise(): string | undefined
}

const windowMs = 10_000

export function createMessageGuard(limits: McpLimits): MessageGuard {
  const open = new Set<string | number>()
  const unasked = createCounter(limits.unasked)
  const noise = createCounter(limits.noise)
  return {
    outgoing(message) {
      if ('method' in message && 'id' in message) open.add(message.id)
    },
    incoming(message) {
      if (!('method' in message) && 'id' in message && message.id !== undefined && open.delete(message.id))
        return undefined
      return unasked() ? `sent more than ${limits.unasked} messages that nobody had asked for` : undefined
    },
    noise: () =>
      noise() ? `printed more than ${limits.noise} lines that are no messages to its standard output` : undefined,
  }
}

/** True once more than `most` were counted within the window. */
function createCounter(most: number): () => boolean {
  let since = 0
  let count = 0
  return () => {
    const now = performance.now()
    if (now - since > windowMs) {
      since = now
      count = 0
    }
    return ++count > most
  }
}
