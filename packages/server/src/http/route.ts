import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type {
  AnswerOf,
  BodyOf,
  Endpoint,
  EndpointKey,
  GivesResponse,
  Method,
  ParamsOf,
  QueryOf,
} from '@troupe/protocol'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Principal, Rights } from './principal.ts'

export type Ctx = Context<{ Bindings: Partial<HttpBindings> }>

/** An endpoint with its handler. */
export interface Route extends Endpoint {
  method: Method
  /** `:name` marks a parameter. Parameters named `id` or ending in `Id` must be ids. */
  path: string
  /** Returns the JSON of the response, `undefined` for status 204, or a whole response. */
  handle(c: Ctx, input: RouteInput): unknown
}

export interface RouteInput {
  principal: Principal
  rights: Rights
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  /** Only in team mode. */
  requestId?: string | undefined
  /** Empty unless the endpoint is `scoped`, so that nothing is found. */
  workspaceId: string
}

interface HandlerInput<Key extends string, E> {
  /** The caller. Outside team mode always `local`. */
  principal: Principal
  /** Rights of the caller on further objects. Those of the request are already checked. */
  rights: Rights
  params: ParamsOf<Key>
  query: QueryOf<E>
  body: BodyOf<E>
  workspaceId: string
  requestId?: string
}

/** The value a handler returns: JSON as the schema says, or a response where the endpoint gives a stream or bytes. */
type Handled<E> = AnswerOf<E> | Reply<AnswerOf<E>> | (GivesResponse<E> extends true ? Response : never)

type Handlers<Endpoints> = {
  [Key in keyof Endpoints & string]: (
    input: HandlerInput<Key, Endpoints[Key]>,
    c: Ctx,
  ) => Handled<Endpoints[Key]> | Promise<Handled<Endpoints[Key]>>
}

/** Joins declared endpoints with their handlers. The compiler checks that every endpoint has one, and what it returns. */
export function implement<const Endpoints extends Record<EndpointKey, Endpoint>>(
  declared: Endpoints,
  handlers: Handlers<Endpoints>,
): Route[] {
  return Object.entries(declared).map(([key, endpoint]) => {
    const [method, path] = key.split(' ') as [Method, string]
    const handler = handlers[key as keyof Endpoints & string] as (input: unknown, c: Ctx) => unknown
    return { ...endpoint, method, path, handle: (c, input) => handler(input, c) }
  })
}

/** A value with another successful status than the first one that is declared. */
export class Reply<Value> {
  readonly status: number
  readonly value: Value

  constructor(status: number, value: Value) {
    this.status = status
    this.value = value
  }
}

export function toResponse(c: Ctx, route: Route, value: unknown): Response {
  if (isResponse(value)) return value
  if (value === undefined) return c.body(null, 204)
  if (value instanceof Reply) return c.json(value.value, value.status as 200)
  return c.json(value, jsonStatus(route) as 200)
}

/**
 * A program may replace the global `Response`, as hono's own server does by default. Responses that exist by then are no
 * instances of the new class.
 */
export function isResponse(value: unknown): value is Response {
  return value === RESPONSE_ALREADY_SENT || value instanceof Response
}

/** The first successful status with a schema. */
export function jsonStatus({ answers }: Endpoint): number {
  return Number(Object.keys(answers).find((status) => typeof answers[Number(status)] !== 'string') ?? 200)
}

/** The field names of a JSON response, or the text that describes another one. */
export function answerText(given: string | z.ZodType): string {
  if (typeof given === 'string') return given
  const { shape, options } = given as { shape?: object; options?: z.ZodType[] }
  if (options !== undefined) return options.map(answerText).join(' or ')
  return shape === undefined ? 'JSON' : `{${Object.keys(shape).join(', ')}}`
}

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
  // The headers and the first events share one write. A corked response would write its chunks one by one.
  const { socket } = response
  socket?.cork()
  response.flushHeaders()
  const detach = attach(new SocketSink(response))
  socket?.uncork()
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

  cut(): void {
    this.#response.destroy()
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
          cut: () => controller.error(new Error('The stream was cut off.')),
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
  /** Disconnects without a final event. */
  cut(): void
}

/**
 * Returns the event number to resume after, or several separated by commas. A reconnecting browser sends the last one it
 * saw in the header.
 */
export function resumeAfter(c: Ctx, query: string | undefined): readonly number[] {
  const isValid = (value: string | undefined): boolean => value !== undefined && /^\d{1,15}(,\d{1,15})*$/.test(value)
  const given = [c.req.header('last-event-id'), query].find(isValid)
  return given === undefined ? [] : given.split(',').map(Number)
}

/** A file that is sent while it is created. A failure ends the connection, so no partial file looks complete. */
export function download(name: string, parts: AsyncIterable<string | Uint8Array>): Response {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(typeof next.value === 'string' ? encoder.encode(next.value) : next.value)
    },
    cancel: async () => void (await iterator.return?.()),
  })
  const type = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl', zip: 'application/zip' }[
    name.split('.').at(-1) ?? ''
  ]
  return new Response(body, {
    headers: {
      'content-type': type ?? 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
    },
  })
}
