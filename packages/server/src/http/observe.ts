import type { NamedError } from '@troupe/protocol'
import type { Principal } from './principal.ts'
import type { Ctx, Route } from './route.ts'

/** A node that passes a request on says in it where the request came from. */
/** Set by a node that passes on a request of a page: `1`. */
export const fromPageHeader = 'x-troupe-from-page'
export const addressHeader = 'x-troupe-address'
export const requestIdHeader = 'x-request-id'

/** What is known about a request. Fields are set as the request proceeds. */
export interface RequestFacts {
  requestId: string
  /** Undefined for pages and unknown addresses. */
  route: Route | undefined
  principal?: Principal
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** What the handler returned. */
  value?: unknown
  /** The caller may not do this, also if they are told that there is no such object. */
  isRefused?: boolean
  /** Another node answered, and records it. */
  isElsewhere?: boolean
}

export interface RequestOutcome extends RequestFacts {
  status: number
  error?: NamedError | Error | undefined
  ms: number
}

/** Sees every request. Only team mode has one. */
export interface RequestObserver {
  /** Returns the id of the request. */
  begin(c: Ctx): string
  /** Called before the response is sent. Rejects if a successful request must fail, because it could not be recorded. */
  end(c: Ctx, outcome: RequestOutcome): Promise<void>
}
