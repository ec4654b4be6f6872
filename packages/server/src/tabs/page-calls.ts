import type { Ask, Session } from '@troupe/core'
import { NamedError, type PageCall, tabEndpoints } from '@troupe/protocol'
import { personIdOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { type PageTab, type PageTabs, tabKey, type WantedTab } from './page-tabs.ts'

/** Calls waiting for a page. Each is assigned to one tab, and reassigned if that tab closes. */
export interface PageCalls {
  /**
   * Keeps some tab assigned until the returned function is called. Throws `NoPage` if no page can handle a new ask.
   * `onNobody` is called later if pages closed, or did not return after a restart within a grace period.
   */
  open(ask: Ask, options: { isNew: boolean; onNobody: (error: NamedError) => void }): Promise<() => void>
  /** Returns this tab's calls, and the number assigned to others. */
  of(tab: Pick<PageTab, 'clientId' | 'tabId'>): { calls: PageCall[]; others: number }
  isWith(askId: string, clientId: string | undefined): boolean
}

const returnMs = 10_000
const restartMs = 30_000

interface WaitingCall {
  call: PageCall
  wanted: WantedTab
  held?: string
  timer?: NodeJS.Timeout
  wait: number
  onNobody: (error: NamedError) => void
}

export function createPageCalls(
  tabs: PageTabs,
  sessionOf: (sessionId: string) => Promise<Pick<Session, 'workspaceId' | 'ownerId'> | undefined>,
  { back = returnMs, restart = restartMs } = {},
): PageCalls {
  const waiting = new Map<string, WaitingCall>()
  tabs.onChange(() => {
    for (const one of waiting.values()) look(one)
  })

  return {
    async open(ask, { isNew, onNobody }) {
      const { action, input, byPerson } = (ask.content ?? {}) as { action?: string; input?: unknown; byPerson?: true }
      // A custom tool may ask without an action. Then any page may answer, and no tab is chosen.
      if (action === undefined) return () => undefined
      const { workspaceId = '', ownerId = null } = (await sessionOf(ask.sessionId)) ?? {}
      const wanted: WantedTab = {
        workspaceId,
        ownerId,
        action,
        sessionId: ask.sessionId,
        clientId: ask.client,
        tabId: ask.tab,
      }
      const call: PageCall = {
        askId: ask.id,
        sessionId: ask.sessionId,
        toolCallId: ask.toolCallId,
        toolName: ask.toolName,
        action,
        input: input ?? null,
        title: ask.title,
        byPerson: byPerson === true,
        createdAt: ask.createdAt,
        timeoutMs: ask.timeoutMs ?? null,
      }
      if (isNew && tabs.pick(wanted) === undefined) throw noPage()
      const one: WaitingCall = { call, wanted, wait: isNew ? back : restart, onNobody }
      waiting.set(ask.id, one)
      look(one)
      one.wait = back
      return () => {
        clearTimeout(one.timer)
        waiting.delete(ask.id)
      }
    },
    of(tab) {
      const key = tabKey(tab)
      const given = [...waiting.values()]
      const calls = given.filter((one) => look(one) === key).map(({ call }) => call)
      return { calls, others: given.length - calls.length }
    },
    isWith: (askId, clientId) =>
      clientId !== undefined && waiting.get(askId)?.held?.startsWith(`${clientId} `) === true,
  }

  /** Assigns the call to a tab unless it has a live one. */
  function look(one: WaitingCall): string | undefined {
    const tab = tabs.pick(one.wanted, one.held)
    if (tab !== undefined) {
      clearTimeout(one.timer)
      delete one.timer
      one.held = tab.key
      return tab.key
    }
    delete one.held
    one.timer ??= setTimeout(() => one.onNobody(noPage()), one.wait)
    return undefined
  }
}

function noPage(): NamedError {
  return new NamedError(
    'NoPage',
    'No open page can do this. Tell the user what you wanted to show, and continue without it.',
    { status: 409 },
  )
}

export function tabRoutes({ tabs, pageCalls }: { tabs: PageTabs; pageCalls: PageCalls }): Route[] {
  return implement(tabEndpoints, {
    'POST /ai/tabs': ({ principal, body, workspaceId }) => {
      const ownerId = personIdOf(principal) ?? null
      const { clientId, tabId, actions, notes, sessionId = null, alive, closed } = body
      if (closed === true) {
        tabs.leave({ clientId, tabId })
        return { calls: [], others: 0 }
      }
      tabs.announce({ workspaceId, ownerId, clientId, tabId, actions, sessionId, notes })
      if (alive !== undefined) tabs.alive(clientId, [...alive, tabId])
      return pageCalls.of({ clientId, tabId })
    },
  })
}
