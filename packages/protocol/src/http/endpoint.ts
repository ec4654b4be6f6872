import { z } from 'zod'
import type { EndpointAccess } from './access.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A method and a path, for example `GET /ai/sessions/:id`. `:name` marks a parameter. */
export type EndpointKey = `${Method} /${string}`

/** The contract of one HTTP endpoint. Server, client, and OpenAPI document all derive from it. */
export interface Endpoint {
  summary: string
  /** Rights that the caller needs. Checked before the handler. */
  access: EndpointAccess
  /** Exists only in team mode. */
  team?: true
  /** Also for commands on a node, which prove that they hold the secret key of the servers. Only in team mode. */
  operator?: true
  /** A GET that the browser makes itself, such as an image or a download. A signed address is enough. */
  linkable?: true
  /** Works in one workspace: the server's own, or the folder a program names in `?workspace` or in the body. */
  scoped?: true
  query?: z.ZodObject
  /** The schema of a JSON body, `bytes` for a raw body, or `upload` for a body of any size that the handler reads. */
  body?: z.ZodType | 'bytes' | 'upload'
  /** Maximum body size in bytes. Default: 32 MiB. */
  bodyLimit?: number
  /** By status: the schema of a JSON response, a description of any other response, or the names of errors. */
  answers: Record<number, z.ZodType | string>
  /** Content types of a successful response. Default: JSON only. */
  gives?: readonly ('json' | 'stream' | 'bytes')[]
}

/** Declares endpoints with their exact types. */
export function endpoints<const T extends Record<EndpointKey, Endpoint>>(declared: T): T {
  return declared
}

type ParamName<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamName<Head> | ParamName<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** Path parameters of an endpoint. */
export type ParamsOf<Key extends string> = { [Name in ParamName<Key>]: string }

export type QueryOf<E> = E extends { query: infer Q extends z.ZodObject } ? z.output<Q> : Record<string, string>

/** The query as a client writes it: every value becomes a string. */
export type QueryInputOf<E> = E extends { query: infer Q extends z.ZodObject }
  ? { [Name in keyof z.input<Q>]?: z.input<Q>[Name] | number | boolean }
  : { workspace?: string }

export type BodyOf<E> = E extends { body: infer B }
  ? B extends z.ZodType
    ? z.output<B>
    : B extends 'bytes'
      ? Uint8Array<ArrayBuffer>
      : undefined
  : undefined

/** The body as a client sends it. */
export type BodyInputOf<E> = E extends { body: infer B }
  ? B extends z.ZodType
    ? z.input<B>
    : Blob | Uint8Array
  : undefined

type SchemaOf<A> = A extends Record<number, unknown> ? Extract<A[keyof A & (200 | 201 | 202)], z.ZodType> : never

/** The JSON of a successful response. `undefined` stands for an empty response with status 204. */
export type AnswerOf<E> = E extends { answers: infer A }
  ? ([SchemaOf<A>] extends [never] ? never : z.output<SchemaOf<A>>) | (204 extends keyof A ? undefined : never)
  : never

/** Endpoints that also answer with a stream or with bytes. */
export type GivesResponse<E> = E extends { gives: infer G extends readonly string[] }
  ? Exclude<G[number], 'json'> extends never
    ? false
    : true
  : false

/** A file that could not be used, and why. */
export const fileProblemSchema = z.object({ path: z.string(), message: z.string() })
