import { newId, visibleText } from '@troupe/protocol'
import type { Api } from '../api/api.ts'
import { visibleMessages } from '../chat/session/session-state.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { createReaderPages, pageActions, waitForChart } from '../page-tools/actions.ts'
import { createDoneCalls, createTabLocks } from '../page-tools/done-calls.ts'
import { createPageTools, type PageTools } from '../page-tools/page-tools.ts'
import type { ClientIds, KeyValueStorage } from '../platform/storage.ts'
import { notice } from '../state/notices.tsx'
import type { AppStore } from './app-store.ts'
import { browserNotifications, type Notifications, showNotification } from './notifications.ts'

interface PageParts {
  api: Api
  app: AppStore
  ids: ClientIds
  storage: KeyValueStorage
  tabStorage: KeyValueStorage
  notifications: Notifications
  session: (sessionId: string) => ChatSessionStore
}

export function openPageTools({
  api,
  app,
  ids,
  storage: kept,
  tabStorage: keptByTab,
  notifications,
  session,
}: PageParts): PageTools {
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
        notify: (title, body, tag) => notifyPerson({ title, body, tag }, notifications.getState().notifying === 'on'),
      }
    },
  })
}

/** Notifies the user, through the browser if permitted and the user is looking elsewhere, else in the page. */
async function notifyPerson(
  { title, body, tag }: { title: string; body: string | undefined; tag: string },
  mayNotify: boolean,
): Promise<'notification' | 'notice'> {
  const shown = visibleText(title, 'name')
  const isSeen = document.visibilityState === 'visible' && document.hasFocus()
  if (mayNotify && !isSeen) {
    const content = {
      title: shown,
      tag,
      opens: 'page' as const,
      body: body === undefined ? undefined : visibleText(body, 'name'),
    }
    const notification = await showNotification(browserNotifications(), content, () => window.focus())
    if (notification !== undefined) return 'notification'
  }
  notice(body === undefined ? shown : `${shown}: ${visibleText(body, 'name')}`)
  return 'notice'
}
