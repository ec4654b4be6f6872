import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Ctx } from './route.ts'

export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
  // A stream is no page: the short form says it all, and each open stream holds its head.
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
}

const lastLine = 'data: [DONE]\n\n'
const keepAliveMs = 15_000

/**
 * An event stream. On a socket it is written straight to Node's response: web streams cost more per chunk than all the
 * rest of a delta's way. `attach` gets the sink and returns what ends the subscription.
 */
export function streamResponse(c: Ctx, attach: (sink: Sink) => () => void): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders)
  const outgoing = c.env?.outgoing
  return outgoing === undefined ? webResponse(attach) : nodeResponse(outgoing, attach)
}

function nodeResponse(response: ServerResponse, attach: (sink: Sink) => () => void): Response {
  // The client may have gone while its request was taken.
  if (response.destroyed) return RESPONSE_ALREADY_SENT
  response.writeHead(200, { ...streamHeaders, connection: 'keep-alive' })
  response.flushHeaders()
  const detach = attach(new SocketSink(response))
  startKeepAlive(response)
  response.on('close', () => {
    stopKeepAlive(response)
    detach()
  })
  return RESPONSE_ALREADY_SENT
}

/** A class, since hundreds of streams may stand open and methods on a prototype weigh nothing. */
class SocketSink implements Sink {
  #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  write(text: string): number {
    this.#response.write(text)
    return this.#response.writableLength
  }

  onDrain(callback: () => void): void {
    this.#response.once('drain', callback)
  }

  end(): void {
    this.#response.end(lastLine)
  }
}

/** One timer for all streams, and none without any. */
const keptAlive = new Set<ServerResponse>()
let timer: NodeJS.Timeout | undefined

function startKeepAlive(response: ServerResponse): void {
  keptAlive.add(response)
  timer ??= setInterval(() => {
    for (const one of keptAlive) if (!one.writableNeedDrain) one.write(': keep-alive\n\n')
  }, keepAliveMs).unref()
}

function stopKeepAlive(response: ServerResponse): void {
  keptAlive.delete(response)
  if (keptAlive.size > 0) return
  clearInterval(timer)
  timer = undefined
}

/** Without a socket: tests and the CLI speak to the app in process. */
function webResponse(attach: (sink: Sink) => () => void): Response {
  const encoder = new TextEncoder()
  let detach: (() => void) | undefined
  let drained: (() => void) | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        detach = attach({
          write(text) {
            controller.enqueue(encoder.encode(text))
            return -(controller.desiredSize ?? 0)
          },
          onDrain(callback) {
            drained = callback
          },
          end() {
            controller.enqueue(encoder.encode(lastLine))
            controller.close()
          },
        })
      },
      pull() {
        const callback = drained
        drained = undefined
        callback?.()
      },
      cancel: () => detach?.(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 1 }),
  )
  return new Response(body, { headers: streamHeaders })
}

/** Where a subscriber's bytes go. */
export interface Sink {
  /** Returns how many bytes wait to be sent. */
  write(text: string): number
  /** Calls back once when the bytes that wait have gone. */
  onDrain(callback: () => void): void
  end(): void
}

/** Where a client goes on. A browser that reconnects by itself names what it saw last in the header. */
export function resumeAfter(c: Ctx, query: string | undefined): { after?: number } {
  const given = [c.req.header('last-event-id'), query].find((value) => value !== undefined && /^\d{1,15}$/.test(value))
  return given === undefined ? {} : { after: Number(given) }
}
