import type { ChatSessionStore } from '../chat/session-services.ts'
import { newId } from '@troupe/core/protocol'
import type { Api } from '../api/api.ts'
import type { ClientIds } from '../api/client-ids.ts'
import type { KeyValueStorage } from '../api/kept.ts'
import type { AppStore } from '../app-store.ts'
import { visibleMessages } from '../chat/session-state.ts'
import type { Notifications } from '../inbox/notifications.ts'
import { waitForChart } from './chart-named.ts'
import { pageActions } from './action-registry.ts'
import { createDoneCalls } from './done-calls.ts'
import { createPageTools } from './page-tools.ts'
import type { PageTools } from './page-tools.ts'
import { createReaderPages } from './reader-pages.ts'
import { createTabLocks } from './tab-locks.ts'
import { notifyPerson } from './tell-person.ts'

export interface PageParts {
  api: Api
  app: AppStore
  ids: ClientIds
  kept: KeyValueStorage
  keptByTab: KeyValueStorage
  notifications: Notifications
  session: (sessionId: string) => ChatSessionStore
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
    done: createDoneCalls(kept),
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
          waitForChart({ messages: () => visibleMessages(store.getState()), subscribe: store.subscribe }, title),
        isInSight: () => inSight() === sessionId && document.visibilityState === 'visible',
        api,
        reader,
        tell: (title, body, tag) => notifyPerson({ title, body, tag }, notifications.getState().notifying === 'on'),
      }
    },
  })
}
