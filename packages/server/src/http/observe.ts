import type { NamedError } from '@troupe/protocol'
import type { Principal } from './principal.ts'
import type { Ctx, Route } from './route.ts'

/** `1` in a page's request that another node forwards. */
export const fromPageHeader = 'x-troupe-from-page'
/** Header with the client's address, in requests that another node forwards. */
export const addressHeader = 'x-troupe-address'
export const requestIdHeader = 'x-request-id'

/** Facts about a request, filled in as it proceeds. */
export interface RequestFacts {
  requestId: string
  /** Undefined for pages and unknown addresses. */
  route: Route | undefined
  principal?: Principal
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** Return value of the handler. */
  value?: unknown
  /** The caller may not do this, even if the response says that the object does not exist. */
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
