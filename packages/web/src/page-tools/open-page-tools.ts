import { newId } from '@troupe/core/protocol'
import type { Api } from '../api/api.ts'
import type { ClientIds } from '../api/client-ids.ts'
import type { Kept } from '../api/kept.ts'
import type { AppStore } from '../app-store.ts'
import { visibleMessages } from '../chat/session-state.ts'
import type { SessionStore } from '../chat/session-store.ts'
import type { Notifications } from '../inbox/notifications.ts'
import { awaitChart } from './chart-named.ts'
import { pageActions } from './action-registry.ts'
import { keepDoneCalls } from './done-calls.ts'
import { createPageTools } from './page-tools.ts'
import type { PageTools } from './page-tools.ts'
import { createReaderPages } from './reader-pages.ts'
import { createTabLocks } from './tab-locks.ts'
import { tellPerson } from './tell-person.ts'

export interface PageParts {
  api: Api
  app: AppStore
  ids: ClientIds
  kept: Kept
  keptByTab: Kept
  notifications: Notifications
  session: (sessionId: string) => SessionStore
}

/** What tools may ask of this page, with the parts of it that they reach. */
export function openPageTools({ api, app, ids, kept, keptByTab, notifications, session }: PageParts): PageTools {
  const reader = createReaderPages(api)
  const inSight = () => (app.getState().isNew ? null : app.getState().sessionId)
  return createPageTools({
    api,
    ids,
    newTabId() {
      const tabId = newId('t')
      keptByTab.set('troupe.tab', tabId)
      return tabId
    },
    actions: pageActions,
    locks: createTabLocks('locks' in navigator ? navigator.locks : undefined),
    done: keepDoneCalls(kept),
    reader,
    sessionInSight: inSight,
    isBusyElsewhere: () => app.getState().sessions.some(({ id, run }) => run !== null && id !== inSight()),
    contextOf(sessionId) {
      const store = session(sessionId)
      const { panels, agents } = store
      return {
        sessionId,
        panels,
        agentName: (agentId) => agents.getState().agents.get(agentId)?.name,
        findChart: (title) =>
          awaitChart({ messages: () => visibleMessages(store.getState()), subscribe: store.subscribe }, title),
        isInSight: () => inSight() === sessionId && document.visibilityState === 'visible',
        api,
        reader,
        tell: (title, body, tag) => tellPerson({ title, body, tag }, notifications.getState().notifying === 'on'),
      }
    },
  })
}
