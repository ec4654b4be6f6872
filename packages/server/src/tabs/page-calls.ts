import type { Ask } from '@troupe/core'
import { idSchema, NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { route, type Route } from '../http/route.ts'
import { type PageTab, type PageTabs, tabKey, type WantedTab } from './page-tabs.ts'

export interface PageCall {
  askId: string
  sessionId: string
  toolCallId: string
  toolName: string
  action: string
  input: unknown
  title: string
  /** True if it needs a click by the user. */
  byPerson: boolean
  createdAt: number
  timeoutMs: number | null
}

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
  workspaceOf: (sessionId: string) => Promise<string | undefined>,
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
      const workspaceId = (await workspaceOf(ask.sessionId)) ?? ''
      const wanted: WantedTab = { workspaceId, action, sessionId: ask.sessionId, clientId: ask.client, tabId: ask.tab }
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
    'No page of the workspace is open that could do this. Say what you wanted to show, and go on without it.',
    { status: 409 },
  )
}

const id = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/)

const tabSchema = z.strictObject({
  clientId: id.describe('The browser'),
  tabId: id.describe('The tab of it'),
  actions: z.array(z.string().min(1).max(50)).max(50).describe('What the page can be asked to do'),
  notes: z
    .record(z.string().min(1).max(50), z.array(z.string().min(1).max(500)).max(30))
    .optional()
    .describe('What models are to know of an action: lines that stand below the description of its tool'),
  sessionId: idSchema.nullable().optional().describe('The session in sight'),
  alive: z.array(id).max(500).optional().describe('The tabs of this browser that live, where it can tell'),
  closed: z.boolean().optional().describe('It is being closed, or loaded anew'),
})

export function tabRoutes({ tabs, pageCalls }: { tabs: PageTabs; pageCalls: PageCalls }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/ai/tabs',
      summary:
        'A page says that it is open and what it can do, every minute at least, and hears what tools ask it to do.',
      body: tabSchema,
      scoped: true,
      answers: { 200: '{calls, others}' },
      handle(c, { body, workspaceId }) {
        const { clientId, tabId, actions, notes, sessionId = null, alive, closed } = body
        if (closed === true) {
          tabs.leave({ clientId, tabId })
          return c.json({ calls: [], others: 0 })
        }
        tabs.announce({ workspaceId, clientId, tabId, actions, sessionId, notes })
        if (alive !== undefined) tabs.alive(clientId, [...alive, tabId])
        return c.json(pageCalls.of({ clientId, tabId }))
      },
    }),
  ]
}
