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

export type Ctx = Context<{ Bindings: Partial<HttpBindings> }>

/** An endpoint with its handler. */
export interface Route extends Endpoint {
  method: Method
  /** `:name` marks a parameter. Parameters named `id` or ending in `Id` must be ids. */
  path: string
  /** Returns the JSON of the response, `undefined` for status 204, or a whole response. */
  handle(c: Ctx, input: RouteInput): unknown
}

interface RouteInput {
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  /** Empty unless the endpoint is `scoped`, so that nothing is found. */
  workspaceId: string
}

interface HandlerInput<Key extends string, E> {
  params: ParamsOf<Key>
  query: QueryOf<E>
  body: BodyOf<E>
  workspaceId: string
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
