import { type Chunk, readBudgetEvent } from '@troupe/protocol'
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { createApi } from '../api/api.ts'
import { inFolder } from '../api/folder-scope.ts'
import { pageAccess } from '../api/page-access.ts'
import { createRequest, requestInFolder } from '../api/request.ts'
import { createResponseCache, earlyFetch } from '../api/response-cache.ts'
import { createDraftStorage } from '../chat/session/drafts.ts'
import { partData } from '../chat/session/message-parts.ts'
import { openSubAgents } from '../chat/session/open-sub-agents.ts'
import { createQueue } from '../chat/session/queue.ts'
import { pageWakeSource } from '../chat/session/run-stream.ts'
import { emptySession, type FilePartData, type SessionState } from '../chat/session/session-state.ts'
import { createSessionStore } from '../chat/session/session-store.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { browserStorage, type ClientIds, readClientIds, storedKeys, tabStorage } from '../platform/storage.ts'
import { notice, noticeError } from '../state/notices.tsx'
import { createPanelStorage } from '../state/panels-state.ts'
import { createPanels, isNarrowForPanels } from '../state/panels.ts'
import { useTeam } from '../state/team.tsx'
import { type AppServices, type AppState, currentModel, findSession } from './app-state.ts'
import { createAppStore } from './app-store.ts'
import { warnOfBudget } from './budget-warning.ts'
import { affectsAsks, readModeChange, readPageCall, readSessionChoice } from './chunk-events.ts'
import { comparedIn, forgetCompared } from './compare-actions.ts'
import { hasRemoteChanges } from './has-remote-changes.ts'
import { browserNotifications, createNotifications, type Notifications, onNotificationClick } from './notifications.ts'
import { openPageTools } from './open-page-tools.ts'
import type { Folders, Workspace } from './workspace-types.ts'

export type { Workspace } from './workspace-types.ts'

const maxOpenSessions = 8

/** Objects that the workspaces of a page share. */
interface PageParts {
  answers: ReturnType<typeof createResponseCache>
  ids: ClientIds
  notifications: Notifications
  isCurrent(workspace: Pick<Workspace, 'app'>): boolean
  onAnswered(askIds: readonly string[]): void
}

export function createPageParts(options: {
  current: () => Workspace
  onAnswered: (askIds: readonly string[]) => void
}): PageParts {
  const { current } = options
  onNotificationClick((opens) => {
    if (opens === 'inbox') current().app.setDialog('inbox')
  })
  return {
    answers: createResponseCache(earlyFetch(window.fetch.bind(window))),
    ids: readClientIds(browserStorage, tabStorage),
    notifications: createNotifications({
      backend: browserNotifications(),
      storage: browserStorage,
      isSeen: () => document.visibilityState === 'visible' && document.hasFocus(),
      onOpen: () => {
        window.focus()
        current().app.setDialog('inbox')
      },
    }),
    isCurrent: ({ app }) => current().app === app,
    onAnswered: options.onAnswered,
  }
}

interface WorkspaceOptions {
  folder: string | null
  sessionId: string | null
  folders: Folders
  page: PageParts
  /** Called when the server does not have the folder. */
  onGone: () => void
}

export function createWorkspace({ folder, sessionId, folders, page, onGone }: WorkspaceOptions): Workspace {
  const { answers, ids, notifications } = page
  const request = requestInFolder(
    createRequest(
      answers.fetch,
      () => {
        app.setState({ access: 'locked' })
        answers.forget()
      },
      (reached, keptAt) => {
        if (keptAt !== undefined) app.setState({ cachedAt: keptAt })
        if (app.getState().isAway !== reached) return
        app.setState(reached ? { isAway: false, cachedAt: null } : { isAway: true })
        // The server may have been restarted with other options.
        if (reached) void app.refreshPermissions()
      },
      pageAccess,
    ),
    folder,
  )
  const api = createApi(request, folder)
  const app = createAppStore(sessionId, {
    api,
    exchangeKey: pageAccess.exchange,
    storage: browserStorage,
    screen: sidebarScreen(),
    onError: noticeError,
    onFolderGone: onGone,
    onSession: (changed, what) => {
      if (what === 'deleted') {
        keptPanels.forget(changed)
        keptComposer.forget(changed)
        forgetCompared(browserStorage, changed)
      }
      channel.post({ sessionId: changed, what })
    },
  })
  const isCurrent = () => page.isCurrent({ app })
  const sessions = new Map<string, ChatSessionStore>()
  const keptPanels = createPanelStorage(browserStorage)
  const keptComposer = createDraftStorage(browserStorage, storedKeys)
  const channel = openTabChannel(({ sessionId: changed, what }) => {
    if (what === 'deleted') app.forget(changed)
    if (!isCurrent()) return
    void app.refresh()
    // Another tab started a run here, so follow it as our own.
    if (changed === app.getState().sessionId && sessions.get(changed)?.getState().run === null)
      void sessions.get(changed)?.open()
  })

  app.subscribe((state, before) => {
    if (state.asks !== before.asks && isCurrent()) void notifications.show(state.asks)
  })

  const pageTools = openPageTools({
    api,
    app,
    ids,
    storage: browserStorage,
    tabStorage: tabStorage,
    notifications,
    session,
  })

  const link = (path: string) => pageAccess.link(inFolder(path, folder))
  return {
    api,
    app,
    folder,
    folders,
    ids,
    pageTools,
    notifications,
    link,
    session,
    announce,
    sendAsNew,
    refresh,
    glance,
  }

  function announce(id: string): void {
    channel.post({ sessionId: id, what: 'changed' })
  }

  function session(id: string): ChatSessionStore {
    const known = sessions.get(id)
    if (known !== undefined) {
      sessions.delete(id)
      sessions.set(id, known)
      return known
    }
    const store = openSession(id)
    sessions.set(id, store)
    const oldest = [...sessions.keys()].find((one) => one !== app.getState().sessionId && one !== id)
    if (sessions.size > maxOpenSessions && oldest !== undefined) sessions.delete(oldest)
    return store
  }

  function openSession(id: string): ChatSessionStore {
    const { isNew, sessionId: current } = app.getState()
    const fresh = isNew && id === current
    const newPlace = folder === null ? 'new' : `new.${folder}`
    const place = () => (fresh && app.getState().isNew ? newPlace : id)
    const initial = emptySession(id, fresh ? 'new' : 'loading')
    const services = {
      api,
      ids,
      wake: pageWakeSource,
      now: Date.now,
      model: () => currentModel(app.getState(), browserStorage),
      compare: () => app.comparedModels(id),
      onPicked: (model: string) => app.modelPicked(id, model),
      mode: () => app.pendingMode(id),
      agent: () => app.pendingAgent(id),
      project: () => app.pendingProject(id),
      params: () => app.pendingParams(id),
      onChunk: (chunk: Chunk) => onChunk(id, chunk),
      onAnswered: page.onAnswered,
      onChange: (cause?: 'run') => {
        if (app.getState().sessionId === id) app.sessionBegan()
        announce(id)
        void (cause === 'run' ? app.refreshAfterRun(id) : app.refresh())
      },
      onError: noticeError,
      onHint: (text: string) => notice(text),
      panels: createPanels({
        initial: keptPanels.read(id),
        isNarrow: isNarrowForPanels,
        save: (state) => keptPanels.write(id, state),
      }),
      queue: createQueue(keptComposer.queue(id)),
      freeFiles,
      saveDraft: (draft: string) => keptComposer.saveDraft(place(), draft),
      saveAttachments: (attachments: SessionState['attachments']) => keptComposer.saveAttachments(place(), attachments),
    }
    return createSessionStore(
      { ...initial, ...keptComposer.draft(place()) },
      { ...services, agents: openSubAgents(id, services) },
    )
  }

  /** Deletes uploads that no draft, queue or message references. */
  function freeFiles(urls: readonly string[]): void {
    const isAttached = (url: string) =>
      [...sessions.values()].some((store) => store.getState().attachments.some((one) => one.url === url))
    for (const url of new Set(urls)) {
      if (isAttached(url) || keptComposer.holds(url)) continue
      // Fails if a message references the blob or it is already gone. A leftover blob is harmless.
      api.deleteBlob(url).catch(() => undefined)
    }
  }

  function sendAsNew(text: string, files: FilePartData[]): void {
    app.newSession()
    void session(app.getState().sessionId).send(text, files)
  }

  function onChunk(id: string, chunk: Chunk): void {
    const title = partData(chunk, 'session-title')
    if (title !== undefined) app.titleChanged(id, title.title)
    const mode = readModeChange(chunk)
    if (mode !== undefined) app.modeChanged(mode.sessionId, mode.mode)
    const choice = readSessionChoice(chunk, app.getState())
    if (choice !== undefined) app.setState(choice)
    if (affectsAsks(chunk)) void app.refreshAsks()
    const event = partData(chunk, 'ui-event')
    if (event !== undefined) useTeam.getState().page?.onEvent(id, event)
    const budget = readBudgetEvent(chunk)
    if (budget !== undefined) warnOfBudget(budget, app)
    const asked = readPageCall(chunk)
    if (asked !== undefined) void pageTools.look(asked)
  }

  async function glance(): Promise<void> {
    const { sessionId: id } = app.getState()
    // The run's stream reports everything.
    if (sessions.get(id)?.getState().run !== null) return
    if (await hasRemoteChanges(app.getState(), api)) await refresh()
  }

  /** Picks up changes that no stream reports, from other browsers or the command line. */
  async function refresh(): Promise<void> {
    const { sessionId: id } = app.getState()
    const updatedAt = () => findSession(app.getState(), id)?.updatedAt
    const before = updatedAt()
    await Promise.all([app.refresh(), folders.refresh()])
    const store = sessions.get(id)
    if (store?.getState().run !== null) return
    const isNews = before !== undefined && updatedAt() !== before
    if (isNews || store.getState().phase === 'failed') await store.open()
  }
}

/** Matches the breakpoint in `sidebar.css`. */
function sidebarScreen(): AppServices['screen'] {
  const query = window.matchMedia('(max-width: 760px)')
  return { isNarrow: () => query.matches, onChange: (listener) => query.addEventListener('change', listener) }
}

export const WorkspaceContext = createContext<Workspace | null>(null)

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext)
  if (workspace === null) throw new Error('no workspace around this component')
  return workspace
}

export function useApp<Value>(select: (state: AppState) => Value): Value {
  return useStore(useWorkspace().app, select)
}

export function useCurrentModel(): string | undefined {
  return useApp((state) => currentModel(state, browserStorage))
}

/** Models that answer the next message side by side, including those chosen before a reload. */
export function useComparedModels(): string[] {
  return useApp(useShallow((state) => comparedIn(state, state.sessionId, browserStorage)))
}

interface TabMessage {
  sessionId: string
  what: 'changed' | 'deleted'
}

interface TabChannel {
  post(news: TabMessage): void
}

/** Shares changes between tabs of a browser that the server reports only on request. */
function openTabChannel(onNews: (news: TabMessage) => void): TabChannel {
  if (!('BroadcastChannel' in window)) return { post: () => undefined }
  const channel = new BroadcastChannel('troupe')
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (isTabMessage(event.data)) onNews(event.data)
  })
  return { post: (news) => channel.postMessage(news) }
}

/** Another tab may run a different page version. */
function isTabMessage(data: unknown): data is TabMessage {
  return typeof data === 'object' && data !== null && 'sessionId' in data && 'what' in data
}
