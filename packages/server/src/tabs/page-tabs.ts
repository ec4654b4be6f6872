/** A tab of a browser that shows the workspace, and what it says that it can do. */
export interface PageTab {
  workspaceId: string
  /** The browser, and the tab in it. */
  clientId: string
  tabId: string
  /** Names of what a page may be asked to do. */
  actions: readonly string[]
  /** What models are to know of an action beyond what its tool says, as lines. */
  notes?: Readonly<Record<string, readonly string[]>>
  /** The session in sight. */
  sessionId: string | null
}

/** Who is asked, and for what. */
export interface WantedTab {
  workspaceId: string
  action: string
  sessionId: string
  /** Whoever started the run. */
  clientId?: string | undefined
  tabId?: string | undefined
}

/** The open pages of every workspace. They announce themselves now and then, and are forgotten when they do not. */
export interface PageTabs {
  announce(tab: PageTab): void
  /** It closes, or is loaded anew: it has a moment to come back. */
  leave(tab: Pick<PageTab, 'clientId' | 'tabId'>): void
  /** These are the tabs of a browser that live; others of it do not. */
  alive(clientId: string, tabIds: readonly string[]): void
  /** False where no page of the workspace can do it; else what the pages that can say of it. */
  offers(workspaceId: string, action: string): false | readonly string[]
  /**
   * The tab that is to act: the one that started the run, else another of its browser, else any; of several the one
   * that has the session in sight, then the one heard of last. `held`: it acts already, as long as it lives.
   */
  pick(wanted: WantedTab, held?: string): (PageTab & { key: string }) | undefined
  /** Hears of every tab that comes or goes. */
  onChange(listener: () => void): () => void
  close(): void
}

/** Tabs in the background have timers that fire once a minute. */
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
      // The last is the one heard of last.
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
    offers(workspaceId, action) {
      const able = living().filter((tab) => tab.workspaceId === workspaceId && tab.actions.includes(action))
      if (able.length === 0) return false
      // In the order of the alphabet: what a model is sent does not depend on which tab was heard of last.
      return [...new Set(able.flatMap(({ notes }) => notes?.[action] ?? []))].toSorted()
    },
    pick(wanted, held) {
      const able = living().filter(
        (tab) => tab.workspaceId === wanted.workspaceId && tab.actions.includes(wanted.action),
      )
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

  /** Wakes when the next one is to be forgotten. */
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
