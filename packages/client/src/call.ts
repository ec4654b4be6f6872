import type { Answered, CallOf, Contract } from '@troupe/protocol'

export interface SendOptions {
  body?: unknown
  signal?: AbortSignal
}

/** Sends a request. Resolves with a successful response and throws for every other one. */
export type Send = (method: string, path: string, options: SendOptions) => Promise<Response>

/** An endpoint whose input has no required field can be called with its name alone. */
type Input<Key extends keyof Contract> =
  Partial<CallOf<Key>> extends CallOf<Key>
    ? [input?: CallOf<Key> & { signal?: AbortSignal }]
    : [input: CallOf<Key> & { signal?: AbortSignal }]

/** Calls an endpoint by its method and path, with the types of the HTTP contract. */
export interface Call {
  <Key extends keyof Contract>(key: Key, ...input: Input<Key>): Promise<Answered<Key>>
  /** The response itself, for endpoints that give a stream or bytes. */
  response<Key extends keyof Contract>(key: Key, ...input: Input<Key>): Promise<Response>
}

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
}

export function createCall(send: Send): Call {
  const response = (key: string, input: AnyInput = {}): Promise<Response> => {
    const [method = '', path = ''] = key.split(' ')
    return send(method, addressOf(path, input), { body: input.body, signal: input.signal })
  }
  const call = async (key: string, input?: AnyInput): Promise<unknown> => {
    const answered = await response(key, input)
    return answered.status === 204 ? undefined : answered.json()
  }
  return Object.assign(call, { response }) as unknown as Call
}

/** The path with its parameters and the query. Leaves out query values that are undefined. */
export function addressOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return search === '' ? filled : `${filled}?${search}`
}
