export interface PageTab {
  workspaceId: string
  /** The person who has it open. Null without accounts. */
  ownerId: string | null
  /** Id of the browser. `tabId` identifies the tab in it. */
  clientId: string
  tabId: string
  actions: readonly string[]
  /** Additional lines about an action for models, beyond the tool's description. */
  notes?: Readonly<Record<string, readonly string[]>>
  /** The visible session. */
  sessionId: string | null
}

export interface WantedTab {
  workspaceId: string
  /** The owner of the chat. Pages of others are never asked. */
  ownerId: string | null
  action: string
  sessionId: string
  /** The client that started the run. */
  clientId?: string | undefined
  tabId?: string | undefined
}

/** The open pages of every workspace. They announce themselves periodically and expire otherwise. */
export interface PageTabs {
  announce(tab: PageTab): void
  /** Called when a tab closes or reloads. It has a short time to return. */
  leave(tab: Pick<PageTab, 'clientId' | 'tabId'>): void
  /** Lists the live tabs of a browser. All its other tabs are removed. */
  alive(clientId: string, tabIds: readonly string[]): void
  /** Returns false if no page of the workspace supports the action, else the pages' notes about it. */
  offers(at: Pick<PageTab, 'workspaceId' | 'ownerId'>, action: string): false | readonly string[]
  /**
   * Picks the tab to act: the one that started the run, else another of its browser, else any. Prefers one that shows
   * the session, then the most recently seen. A live `held` tab keeps the call.
   */
  pick(wanted: WantedTab, held?: string): (PageTab & { key: string }) | undefined
  onChange(listener: () => void): () => void
  close(): void
}

/** Timers of background tabs fire only once a minute. */
const tabTtlMs = 90_000
const returnMs = 5000
const maxTabs = 500

export function tabKey({ clientId, tabId }: Pick<PageTab, 'clientId' | 'tabId'>): string {
  return `${clientId} ${tabId}`
}

export function createPageTabs({ now = Date.now, life = tabTtlMs, comeBack = returnMs } = {}): PageTabs {
  const tabs = new Map<string, PageTab & { key: string; seenAt: number; until: number }>()
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined

  return {
    announce(tab) {
      const key = tabKey(tab)
      const known = tabs.get(key)
      // Insertion order: the most recently seen tab is last.
      tabs.delete(key)
      const oldest = tabs.keys().next().value
      if (tabs.size >= maxTabs && oldest !== undefined) tabs.delete(oldest)
      tabs.set(key, { ...tab, key, seenAt: now(), until: now() + life })
      const isNews =
        known === undefined || known.until <= now() || known.actions.join() !== tab.actions.join() || isLeaving(known)
      if (isNews) changed()
      else watch()
    },
    leave(tab) {
      const known = tabs.get(tabKey(tab))
      if (known === undefined) return
      known.until = Math.min(known.until, now() + comeBack)
      watch()
    },
    alive(clientId, tabIds) {
      let gone = false
      for (const tab of living()) {
        if (tab.clientId !== clientId || tabIds.includes(tab.tabId)) continue
        tabs.delete(tab.key)
        gone = true
      }
      if (gone) changed()
    },
    offers(at, action) {
      const able = living().filter((tab) => isAt(tab, at) && tab.actions.includes(action))
      if (able.length === 0) return false
      // Sorted, so model input does not depend on which tab was seen last.
      return [...new Set(able.flatMap(({ notes }) => notes?.[action] ?? []))].toSorted()
    },
    pick(wanted, held) {
      const able = living().filter((tab) => isAt(tab, wanted) && tab.actions.includes(wanted.action))
      const holder = able.find(({ key }) => key === held)
      if (holder !== undefined) return holder
      const { clientId, tabId, sessionId } = wanted
      const ofBrowser = able.filter((tab) => tab.clientId === clientId)
      const starter = ofBrowser.find((tab) => tab.tabId === tabId)
      const rest = ofBrowser.length > 0 ? ofBrowser : able
      return starter ?? rest.findLast((tab) => tab.sessionId === sessionId) ?? rest.at(-1)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      clearTimeout(timer)
      listeners.clear()
    },
  }

  function isAt(tab: PageTab, { workspaceId, ownerId }: Pick<PageTab, 'workspaceId' | 'ownerId'>): boolean {
    return tab.workspaceId === workspaceId && tab.ownerId === ownerId
  }

  function living() {
    return [...tabs.values()].filter(({ until }) => until > now())
  }

  function isLeaving({ seenAt, until }: { seenAt: number; until: number }): boolean {
    return until - seenAt < life
  }

  function changed(): void {
    watch()
    for (const listener of listeners) listener()
  }

  function watch(): void {
    clearTimeout(timer)
    const next = Math.min(...[...tabs.values()].map(({ until }) => until))
    if (!Number.isFinite(next)) return
    timer = setTimeout(
      () => {
        for (const [key, { until }] of tabs) if (until <= now()) tabs.delete(key)
        changed()
      },
      Math.max(next - now(), 10),
    )
    timer.unref()
  }
}
