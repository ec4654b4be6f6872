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
  query?: z.ZodObject
  /** A JSON body of this shape; `bytes` for a raw one. */
  body?: z.ZodType | 'bytes'
  answers: Record<number, string>
  handle(
    c: Ctx,
    input: { params: Record<string, string>; query: Record<string, string>; body: unknown },
  ): Response | Promise<Response>
}

/** A route whose body has the type of its schema. */
export function route<Body extends z.ZodType>(
  definition: Omit<Route, 'handle' | 'body'> & {
    body?: Body
    handle(
      c: Ctx,
      input: { params: Record<string, string>; query: Record<string, string>; body: z.infer<Body> },
    ): Response | Promise<Response>
  },
): Route {
  return definition
}
