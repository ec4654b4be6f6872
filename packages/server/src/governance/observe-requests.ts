import { randomBytes } from 'node:crypto'
import { NamedError } from '@troupe/protocol'
import { addressHeader, type RequestObserver, type RequestOutcome } from '../http/observe.ts'
import type { Principal } from '../http/principal.ts'
import type { Ctx } from '../http/route.ts'
import type { Logger } from '../util/logger.ts'
import type { Audit, AuditActor, AuditRecord } from './audit.ts'
import { describeRequest } from './audited-requests.ts'

const minuteMs = 60_000
/** Limits of recorded refusals that anyone can cause or that pages repeat. The rest are only counted. */
const refusedPerMinute = { caller: 10, all: 100 }
const givenIdPattern = /^[\w-]{8,64}$/

/** The one place that sees all requests: gives them ids, and records them in the log, the metrics and the audit log. */
export function observeRequests(options: {
  audit: Pick<Audit, 'record'>
  logger: Logger
  /** The caller's address, also behind a trusted proxy. */
  addressOf?: ((c: Ctx) => string | undefined) | undefined
  onRequest?: (outcome: RequestOutcome) => void
  clock?: () => number
}): RequestObserver {
  const { audit, logger, clock = Date.now } = options
  const addressOf = options.addressOf ?? ((c: Ctx) => c.env?.incoming?.socket?.remoteAddress)
  const throttle = createThrottle(clock)

  return {
    begin(c) {
      const given = c.req.header('x-request-id')
      return given !== undefined && givenIdPattern.test(given) ? given : randomBytes(9).toString('base64url')
    },
    async end(c, outcome) {
      const { requestId, route, principal, status, error, ms, isElsewhere } = outcome
      options.onRequest?.(outcome)
      const person = principal?.kind === 'person' ? principal.person.id : undefined
      logger({
        level: status >= 500 ? 'error' : 'info',
        message: 'request',
        requestId,
        method: c.req.method,
        route: route?.path ?? 'other',
        status,
        ms: Math.round(ms),
        person,
        error: error?.name,
      })
      if (isElsewhere === true) return
      const isHidden = outcome.isRefused === true && status === 404
      const isDenied = status === 401 || status === 403 || isHidden
      const params = outcome.params ?? (c.req.param() as Record<string, string>)
      const described = describeRequest({ ...outcome, params }, isDenied)
      if (described === undefined) return
      const { forgets, ...entry } = described
      const isForgotten = forgets !== undefined && forgets === person && error === undefined
      const actor = isForgotten ? 'system' : actorOf(principal)
      // Another node that passed the request on says where it came from.
      const passedOn = principal === undefined ? undefined : c.req.header(addressHeader)
      const address = isForgotten ? undefined : isFromNode(c) ? passedOn || undefined : addressOf(c)
      // Objects that were deleted look the same as those of others, and pages may ask for them often.
      const isFrequent = isDenied && (actor === 'anonymous' || isHidden)
      const skipped = isFrequent ? throttle(person ?? address ?? '') : 0
      if (skipped === undefined) return
      const recorded = audit.record({
        ...entry,
        actor,
        address,
        requestId,
        outcome: isDenied ? 'denied' : status >= 400 ? 'failed' : 'ok',
        detail: {
          ...entry.detail,
          error: error instanceof NamedError ? error.name : error && 'Internal',
          ...(skipped > 0 && { alsoRefused: skipped }),
        },
      } satisfies AuditRecord)
      // A request that failed changes nothing, so its answer need not wait.
      if (status < 400) return recorded
      recorded.catch((failure: unknown) =>
        logger({ level: 'error', message: 'a request was not recorded', requestId, error: String(failure) }),
      )
    },
  }
}

function isFromNode(c: Ctx): boolean {
  return c.req.header('authorization')?.startsWith('Node ') === true
}

export function actorOf(principal: Principal | undefined): AuditActor {
  if (principal?.kind === 'person') return { id: principal.person.id, name: principal.person.name }
  return principal?.kind === 'local' ? 'local' : 'anonymous'
}

/** Returns how many were skipped since the last entry, or undefined to skip this one. */
function createThrottle(clock: () => number): (caller: string) => number | undefined {
  let began = 0
  let all = 0
  let skipped = 0
  const byCaller = new Map<string, number>()
  return (caller) => {
    if (clock() - began >= minuteMs) {
      began = clock()
      all = 0
      byCaller.clear()
    }
    const own = byCaller.get(caller) ?? 0
    if (own >= refusedPerMinute.caller || all >= refusedPerMinute.all) {
      skipped++
      return undefined
    }
    byCaller.set(caller, own + 1)
    all++
    const before = skipped
    skipped = 0
    return before
  }
}
