import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { z } from 'zod'

export type Ctx = Context<{ Bindings: Partial<HttpBindings> }>

/** One route: what it takes and gives stands beside what it does; the reference is generated from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** `:name` marks a parameter. Parameters named `id` or ending in `Id` must be ids. */
  path: string
  summary: string
  /** Answers without the secret. */
  open?: true
  /** A GET that the browser itself makes, for an image or a download: a signed address is enough. */
  linkable?: true
  /** Works in one workspace: the server's own, or the folder that a program names in `?workspace` or in the body. */
  scoped?: true
  query?: z.ZodObject
  /** A JSON body of this shape; `bytes` for a raw one; `upload` for one that the route reads itself, of any size. */
  body?: z.ZodType | 'bytes' | 'upload'
  /** The most bytes that a body may have. Default: 32 MiB. */
  bodyLimit?: number
  /** By status: the schema or the shape of an answer, the names of errors. Handlers give the former by `answer`. */
  answers: Record<number, string | z.ZodObject>
  /** What a good answer is. Default: JSON. */
  gives?: ('json' | 'stream' | 'bytes')[]
  handle(c: Ctx, input: RouteInput<unknown>): Response | Promise<Response>
}

export interface RouteInput<Body> {
  params: Record<string, string>
  query: Record<string, string>
  body: Body
  /** Empty, so that nothing is found, where the route is not `scoped`. */
  workspaceId: string
}

/** A route whose body has the type of its schema. */
export function route<Body extends z.ZodType>(
  definition: Omit<Route, 'handle' | 'body'> & {
    body?: Body
    handle(c: Ctx, input: RouteInput<z.infer<Body>>): Response | Promise<Response>
  },
): Route {
  return definition
}

/** An answer that is what its schema says; the compiler sees to it. */
export function answer<Schema extends z.ZodObject>(
  c: Ctx,
  _schema: Schema,
  value: z.input<Schema>,
  status: 200 | 201 = 200,
): Response {
  return c.json(value, status)
}

/** In a line: the names of its fields. */
export function answerText(given: string | z.ZodObject): string {
  return typeof given === 'string' ? given : `{${Object.keys(given.shape).join(', ')}}`
}
