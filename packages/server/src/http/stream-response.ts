import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Ctx } from './route.ts'

export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
  // A stream is not a page, so a short policy suffices. Every open stream holds its headers in memory.
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
}

const lastLine = 'data: [DONE]\n\n'
const keepAliveMs = 15_000

/**
 * Creates an event stream. On a socket, writes directly to Node's response: web streams cost more per chunk than the
 * rest of the pipeline. `attach` gets the sink and returns an unsubscribe function.
 */
export function streamResponse(c: Ctx, attach: (sink: Sink) => () => void): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders)
  const outgoing = c.env?.outgoing
  return outgoing === undefined ? webResponse(attach) : nodeResponse(outgoing, attach)
}

function nodeResponse(response: ServerResponse, attach: (sink: Sink) => () => void): Response {
  // The client may have disconnected while its request was handled.
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

/** A class, because prototype methods cost no memory per stream and hundreds may be open. */
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

/** One timer for all streams, stopped if there are none. */
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

/** Used without a socket: tests and the CLI call the app in process. */
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

export interface Sink {
  /** Returns the number of buffered bytes. */
  write(text: string): number
  /** Calls back once when the buffered bytes have been sent. */
  onDrain(callback: () => void): void
  end(): void
}

/** Returns the event number to resume after. A reconnecting browser sends the last one it saw in the header. */
export function resumeAfter(c: Ctx, query: string | undefined): { after?: number } {
  const given = [c.req.header('last-event-id'), query].find((value) => value !== undefined && /^\d{1,15}$/.test(value))
  return given === undefined ? {} : { after: Number(given) }
}
