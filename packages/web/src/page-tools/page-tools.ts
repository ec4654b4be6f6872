import type { Api } from '../api/api.ts'
import { isRecord } from '../api/read-fields.ts'
import { ApiError } from '../api/request.ts'
import type { PageCall, TabNote } from '../api/session-types.ts'
import type { ClientIds } from '../platform/storage.ts'
import type { ActionContext, ActionRegistry, ReaderPages } from './actions.ts'
import type { CallOutcome, DoneCalls, TabLocks } from './done-calls.ts'

/** Announces the page's actions to the server and runs requested ones, each once. */
export interface PageTools {
  reader: ReaderPages
  /** Announces the page from the first `look` until the returned function is called. */
  start: () => () => void
  /** Fetches pending calls. `expects` is a call that the stream announced and that is about to arrive. */
  look: (expects?: { toolCallId: string }) => Promise<void>
  /** Drops the results of running calls until the next `look`: a browser that leaves the page aborts its requests. */
  leave: () => void
  /**
   * Runs a call after the user clicked. Throws if it failed or was rejected, and the user may retry. So do `answer` and
   * `decline`.
   */
  perform: (call: PersonCall) => Promise<void>
  /** Sends a result that the user supplied by hand. */
  answer: (call: PersonCall, output: unknown) => Promise<void>
  decline: (call: PersonCall) => Promise<void>
}

export interface PersonCall {
  sessionId: string
  toolCallId: string
  action: string
  input: unknown
}

interface PageToolsServices {
  api: Pick<Api, 'announceTab' | 'acknowledgeCall'>
  /** Mutated if this tab turns out to be a duplicate. */
  ids: ClientIds
  newTabId: () => string
  actions: ActionRegistry
  locks: TabLocks
  done: DoneCalls
  reader: ReaderPages
  sessionInSight: () => string | null
  /** True if runs are active that this page does not follow. */
  isBusyElsewhere: () => boolean
  contextOf: (sessionId: string) => ActionContext
  now?: () => number
}

const quietMs = 20_000
const busyMs = 2000
/** Delays in milliseconds before looking again for an announced call. */
const soon = [120, 400, 1200, 3000]
const dayMs = 86_400_000
/** Maximum time the user waits for an unresponsive server. */
const personMs = 20_000

export function createPageTools(services: PageToolsServices): PageTools {
  const { api, ids, actions, locks, done, reader, now = Date.now } = services
  const running = new Set<string>()
  const seen = new Set<string>()
  const declined = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOpen = false
  let isLeft = false
  let ready: Promise<void> | undefined

  return { reader, start, look, leave, perform, answer, decline }

  function start(): () => void {
    isOpen = true
    ready ??= locks.live(ids.tabId).then((isOurs) => {
      if (!isOurs) ids.tabId = services.newTabId()
      if (!isOurs) void locks.live(ids.tabId)
    })
    return () => {
      isOpen = false
      clearTimeout(timer)
    }
  }

  function leave(): void {
    isLeft = true
  }

  async function look(expects?: { toolCallId: string }): Promise<void> {
    isLeft = false
    await announce()
    if (expects === undefined) return
    for (const pause of soon) {
      if (seen.has(expects.toolCallId) || !isOpen) return
      await new Promise((resolve) => {
        setTimeout(resolve, pause)
      })
      if (!seen.has(expects.toolCallId)) await announce()
    }
  }

  async function announce(): Promise<void> {
    if (!isOpen) return
    clearTimeout(timer)
    let next = quietMs
    try {
      await ready
      const alive = await locks.alive()
      const { calls, others } = await api.announceTab({
        clientId: ids.clientId,
        tabId: ids.tabId,
        actions: [...actions.names],
        notes: actions.notes as TabNote['notes'],
        sessionId: services.sessionInSight(),
        alive,
      })
      for (const call of calls) take(call)
      if (others > 0 || calls.length > 0 || services.isBusyElsewhere()) next = busyMs
    } catch {
      // The server is unreachable or rejects the page, which is reported elsewhere.
    }
    clearTimeout(timer)
    if (isOpen) timer = setTimeout(() => void announce(), next)
  }

  function take(call: PageCall): void {
    seen.add(call.toolCallId)
    // Its card waits for the user.
    if (call.byPerson) return
    const until = call.createdAt + (call.timeoutMs ?? dayMs)
    void carryOut(call, until)
  }

  /** Runs a call in one tab at a time and never twice. Reports a stored result again if the server missed it. */
  async function carryOut(call: PageCall, until: number): Promise<void> {
    const key = keyOf(call)
    if (running.has(key)) return
    running.add(key)
    try {
      await locks.alone(key, async () => {
        const known = done.find(key)
        const outcome = known ?? (await act(call))
        // The reloaded page or another tab runs the call.
        if (known === undefined && isLeft) return
        if (known === undefined) done.add(key, outcome)
        await send(call, outcome, until)
      })
    } finally {
      running.delete(key)
    }
  }

  /** Sends what the user shares without storing it in the browser. */
  async function perform(call: PersonCall): Promise<void> {
    const outcome = await act(call)
    // Drop the result if the user declined in the meantime.
    if (declined.has(keyOf(call))) return
    if (outcome.status === 'failed') throw new Error(outcome.errorText)
    await tell(call, outcome)
  }

  function answer(call: PersonCall, output: unknown): Promise<void> {
    return tell(call, { status: 'success', output })
  }

  async function decline(call: PersonCall): Promise<void> {
    await tell(call, { status: 'failed', errorText: 'The person declined.' })
    declined.add(keyOf(call))
  }

  async function tell(call: PersonCall, outcome: CallOutcome): Promise<void> {
    const problem = await send(call, outcome, now() + personMs)
    if (problem !== undefined) throw problem
  }

  async function act({ sessionId, toolCallId, action: name, input }: PersonCall): Promise<CallOutcome> {
    try {
      const action = await actions.load(name)
      if (action === undefined) return { status: 'failed', errorText: `This page cannot do "${name}".` }
      const output = await action(isRecord(input) ? input : {}, services.contextOf(sessionId), { toolCallId })
      return { status: 'success', output }
    } catch (error) {
      return { status: 'failed', errorText: error instanceof Error ? error.message : String(error) }
    }
  }

  function send(
    { sessionId, toolCallId }: Pick<PersonCall, 'sessionId' | 'toolCallId'>,
    outcome: CallOutcome,
    until: number,
  ): Promise<Error | undefined> {
    const body = { sessionId, clientId: ids.clientId, toolCallId, ...outcome }
    return acknowledge(() => api.acknowledgeCall(body), { until, now })
  }
}

function keyOf({ sessionId, toolCallId }: Pick<PersonCall, 'sessionId' | 'toolCallId'>): string {
  return `${sessionId}/${toolCallId}`
}

/** Retry delays in milliseconds. The last one repeats. */
const pauses = [300, 1000, 3000, 9000, 15_000]

interface RetryOptions {
  /** Time after which the result is useless. */
  until: number
  now?: () => number
  wait?: (ms: number) => Promise<void>
}

/**
 * Retries until the server accepts the result. Does not retry a rejection (4xx): someone else answered first, or the
 * ask is closed. Resolves with the error, or undefined on success.
 */
export async function acknowledge(send: () => Promise<unknown>, options: RetryOptions): Promise<Error | undefined> {
  const { until, now = Date.now, wait = pause } = options
  for (let tries = 0; ; tries++) {
    try {
      await send()
      return undefined
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
      const next = pauses[Math.min(tries, pauses.length - 1)] ?? 0
      if (isRefused || now() + next > until) return error instanceof Error ? error : new Error(String(error))
      await wait(next)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
