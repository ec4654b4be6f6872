import { newId } from '@troupe/protocol'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { ApiError, isUnreachable, toErrorInfo } from '../api/request.ts'
import {
  type AppServices,
  type AppState,
  chosenModelKey,
  findSession,
  mostNamedModels,
  namedModelsKey,
  type SessionSearchResult,
} from './app-state.ts'
import { type AskActions, createAskActions } from './ask-actions.ts'
import { type CompareActions, createCompareActions, keepsComparing } from './compare-actions.ts'
import {
  type AgentActions,
  createAgentActions,
  createModeActions,
  createParamActions,
  createProjectActions,
  type ModeActions,
  type ParamActions,
  type ProjectActions,
} from './session-choices.ts'
import { readSeen, withSeen, writeSeen } from './seen-chats.ts'
import {
  createSessionListActions,
  initialSessionList,
  isListedAfter,
  type SessionListActions,
} from './session-list-actions.ts'

export type AppStore = StoreApi<AppState> & AppActions

export interface AppActions
  extends AskActions, ModeActions, AgentActions, ProjectActions, ParamActions, CompareActions, SessionListActions {
  /** Exchanges the one-time key for a credential, if given, then loads all data. */
  start: (key: string | null) => Promise<void>
  refresh: () => Promise<void>
  /** Like `refresh`, after a run of the session started or ended. Reads only what a run changes. */
  refreshAfterRun: (sessionId: string) => Promise<void>
  refreshModels: () => Promise<void>
  refreshPermissions: () => Promise<void>
  loadMoreSessions: () => Promise<void>
  select: (sessionId: string, messageId?: string, words?: string) => void
  newSession: () => void
  /** Called when the current session gets its first message. */
  sessionBegan: () => void
  titleChanged: (sessionId: string, title: string) => void
  rename: (sessionId: string, title: string) => Promise<void>
  remove: (sessionId: string) => Promise<void>
  /** Called when the session was deleted elsewhere. */
  forget: (sessionId: string) => void
  setSearch: (query: string) => Promise<void>
  chooseModel: (ref: string) => Promise<void>
  setSidebar: (open: boolean) => void
  setDialog: (dialog: AppState['dialog']) => void
  /** Opens the dialog that reviews the approvals of a chat, or of all chats, together. */
  review: (sessionId: string | null) => void
  /** Opens the dialog that shares a branch. Without a leaf, the newest. */
  share: (sessionId: string, leaf: string | undefined) => void
  /** Opens the settings at a section or setting, such as `models` or `models/new`. */
  openSettings: (at?: string) => void
}

const sidebarKey = 'troupe.sidebar'
const firstMessageKey = 'troupe.begun'

export function createAppStore(sessionId: string | null, services: AppServices): AppStore {
  const { api, exchangeKey, storage: kept, screen, onError, onSession } = services
  const store = createStore<AppState>(() => ({
    access: 'checking',
    isKeyRefused: false,
    sessionId: sessionId ?? newId('s'),
    isNew: sessionId === null,
    isFirstVisit: kept.get(firstMessageKey) === null,
    target: null,
    sessions: [],
    unlistedSessions: {},
    nextCursor: null,
    search: { query: '', found: null },
    ...initialSessionList(kept),
    models: [],
    modelsLoaded: false,
    openProviders: [],
    namedModels: (kept.get(namedModelsKey) ?? '').split(' ').filter((ref) => ref !== ''),
    defaultModel: null,
    modelsFailure: null,
    chosenModels: {},
    compared: {},
    keepsComparing: keepsComparing(kept),
    chosenModes: {},
    chosenAgents: {},
    chosenProjects: {},
    chosenParams: {},
    permissions: null,
    seen: readSeen(kept, Date.now()),
    asks: [],
    sidebar: restingSidebar(),
    isAway: false,
    cachedAt: null,
    workspacePath: null,
    hasSlowFolder: false,
    dialog: null,
    dialogTurn: 0,
    settingsAt: '',
    shared: null,
    reviewedSession: null,
  }))
  const { getState, setState } = store
  let askedCursor: string | null = null
  screen.onChange(restSidebar)
  store.subscribe(noteSeen)
  const asks = createAskActions(store, services)
  const modes = createModeActions(store, services)
  const shelf = createSessionListActions(store, { ...services, refresh: () => refresh(), forget, newSession })

  return {
    ...store,
    ...asks,
    ...modes,
    ...shelf,
    ...createAgentActions(store),
    ...createProjectActions(store),
    ...createParamActions(store, services),
    ...createCompareActions(store, kept),
    start,
    refresh: () => refresh(),
    refreshAfterRun: (id) => refresh(id),
    refreshModels,
    refreshPermissions,
    loadMoreSessions,
    select,
    newSession,
    sessionBegan,
    titleChanged,
    rename,
    remove,
    forget,
    setSearch,
    chooseModel,
    setSidebar,
    setDialog: (dialog) => setState(({ dialogTurn }) => ({ dialog, dialogTurn: dialogTurn + 1 })),
    review: (id) => setState({ dialog: 'review', reviewedSession: id }),
    share: (id, leaf) => setState({ dialog: 'share', shared: { sessionId: id, leaf } }),
    openSettings: (at = '') =>
      setState(({ dialogTurn }) => ({ dialog: 'settings', settingsAt: at, dialogTurn: dialogTurn + 1 })),
  }

  /** The chat in view counts as seen, and so does one that was left while nothing ran. */
  function noteSeen(state: AppState, before: AppState): void {
    if (state.sessions === before.sessions && state.sessionId === before.sessionId) return
    const left = state.sessionId === before.sessionId ? undefined : findSession(before, before.sessionId)
    const shown = findSession(state, state.sessionId)
    const afterLeft = left?.run === null ? withSeen(state.seen, { id: left.id, updatedAt: Date.now() }) : state.seen
    const seen = shown === undefined ? afterLeft : withSeen(afterLeft, shown)
    if (seen === state.seen) return
    writeSeen(kept, seen)
    setState({ seen })
  }

  async function start(key: string | null): Promise<void> {
    try {
      // A reused key (a reloaded tab) is harmless while the credential is valid.
      if (key !== null) await exchangeKey(key)
    } catch {
      return setState({ access: 'unreachable' })
    }
    await refresh()
    setState({ isKeyRefused: key !== null && getState().access === 'locked' })
  }

  async function refresh(ranSessionId?: string): Promise<void> {
    try {
      const revision = modes.modeRevision()
      const page = await api.sessions({ view: 'active', folder: 'none' })
      // The response may contain outdated modes.
      if (revision !== modes.modeRevision()) return await refresh(ranSessionId)
      setState(({ sessions, nextCursor }) => {
        const known = new Set(page.sessions.map(({ id }) => id))
        const last = page.sessions.at(-1)
        const below =
          page.nextCursor === null || last === undefined
            ? []
            : sessions.filter((one) => !known.has(one.id) && isListedAfter(one, last))
        return {
          access: 'open',
          hasSlowFolder: false,
          sessions: [...page.sessions, ...below],
          nextCursor: below.length > 0 ? nextCursor : page.nextCursor,
        }
      })
      modes.modesRead()
      await Promise.all([
        asks.refreshApart().then(() => (mayHaveOtherAsks(ranSessionId) ? asks.refreshAsks() : undefined)),
        ...(mayHaveOtherShelf(ranSessionId) ? [shelf.refreshShelf()] : []),
        ...(getState().permissions === null ? [refreshPermissions()] : []),
        ...(getState().modelsLoaded ? [] : [refreshModels(), readWorkspace()]),
      ])
    } catch (error) {
      const name = error instanceof ApiError ? error.name : ''
      if (error instanceof ApiError && error.status === 401) setState({ access: 'locked' })
      else if (['WorkspaceNotFound', 'FolderNotOpen'].includes(name)) services.onFolderGone?.()
      else if (name === 'FolderSlow') {
        // The page stays usable: other folders can be opened from here.
        if (!getState().hasSlowFolder) onError(error)
        setState({ access: 'open', hasSlowFolder: true })
      } else if (getState().access !== 'open') setState({ access: 'unreachable' })
    }
  }

  /** The stream of a run reports new asks. The end of a run closes those that are left. */
  function mayHaveOtherAsks(ranSessionId: string | undefined): boolean {
    return ranSessionId === undefined || getState().asks.some((ask) => ask.sessionId === ranSessionId)
  }

  /** A run changes no folder, only the chats that are listed in it. */
  function mayHaveOtherShelf(ranSessionId: string | undefined): boolean {
    return ranSessionId === undefined || getState().openFolders.length > 0 || getState().view !== 'active'
  }

  async function loadMoreSessions(): Promise<void> {
    const { nextCursor: cursor } = getState()
    if (cursor === null || cursor === askedCursor) return
    askedCursor = cursor
    try {
      const page = await api.sessions({ view: 'active', folder: 'none', cursor })
      setState(({ sessions, nextCursor }) =>
        // Otherwise the list was reloaded in the meantime.
        nextCursor === cursor ? { sessions: [...sessions, ...page.sessions], nextCursor: page.nextCursor } : {},
      )
    } catch (error) {
      onError(error)
    } finally {
      askedCursor = null
    }
  }

  async function refreshModels(): Promise<void> {
    try {
      const { models, defaultModel, openProviders: open } = await api.models(getState().namedModels)
      // A cached response of an older server has no such list.
      const openProviders = Array.isArray(open) ? open : []
      setState({ models, modelsLoaded: true, defaultModel, openProviders, modelsFailure: null })
      nameModelOfChat()
    } catch (error) {
      setState({ modelsFailure: toErrorInfo(error).message })
    }
  }

  /** Another browser may have chosen a model for this chat that no provider lists. */
  function nameModelOfChat(): void {
    const ref = findSession(getState(), getState().sessionId)?.model
    if (ref != null && getState().modelsLoaded) void nameModel(ref)
  }

  /** Reads what is known about a model that is not listed. */
  async function nameModel(ref: string): Promise<void> {
    const { models, namedModels } = getState()
    if (namedModels.includes(ref) || models.some((model) => model.ref === ref)) return
    const named = [...namedModels, ref].slice(-mostNamedModels)
    kept.set(namedModelsKey, named.join(' '))
    setState({ namedModels: named })
    await refreshModels()
  }

  async function refreshPermissions(): Promise<void> {
    try {
      const { mode, bypass, sandbox } = await api.rules()
      setState({ permissions: { mode, bypass, sandbox } })
    } catch (error) {
      if (!isUnreachable(error)) onError(error)
    }
  }

  async function readWorkspace(): Promise<void> {
    try {
      const { workspace } = await api.workspace()
      setState({ workspacePath: workspace?.path ?? null })
    } catch (error) {
      if (!isUnreachable(error)) onError(error)
    }
  }

  function select(chosen: string, messageId?: string, words?: string): void {
    setState({
      sessionId: chosen,
      isNew: chosen === getState().sessionId && getState().isNew,
      target: messageId === undefined ? null : { messageId, words },
    })
    restSidebar()
    void asks.refreshApart()
    nameModelOfChat()
  }

  function newSession(): void {
    setState({ sessionId: newId('s'), isNew: true, target: null })
    restSidebar()
  }

  function sessionBegan(): void {
    if (!getState().isNew) return
    kept.set(firstMessageKey, 'yes')
    setState({ isNew: false, isFirstVisit: false })
  }

  function titleChanged(changed: string, title: string): void {
    setState(({ sessions, unlistedSessions: apart }) => ({
      sessions: sessions.map((session) => (session.id === changed ? { ...session, title } : session)),
      unlistedSessions: apart[changed] === undefined ? apart : { ...apart, [changed]: { ...apart[changed], title } },
    }))
  }

  async function rename(renamed: string, title: string): Promise<void> {
    try {
      await api.renameSession(renamed, title)
      titleChanged(renamed, title)
      onSession(renamed, 'changed')
      await shelf.refreshShelf()
    } catch (error) {
      onError(error)
    }
  }

  async function remove(removed: string): Promise<void> {
    try {
      await api.deleteSession(removed)
      forget(removed)
      onSession(removed, 'deleted')
      if (getState().sessionId === removed) newSession()
    } catch (error) {
      onError(error)
    }
  }

  function forget(removed: string): void {
    setState(({ sessions, unlistedSessions: apart, asks, search, otherView: aside }) => ({
      sessions: sessions.filter(({ id }) => id !== removed),
      otherView: aside && { ...aside, sessions: aside.sessions.filter(({ id }) => id !== removed) },
      unlistedSessions: Object.fromEntries(Object.entries(apart).filter(([id]) => id !== removed)),
      asks: asks.filter((ask) => ask.sessionId !== removed),
      search: { ...search, found: search.found && withoutSession(search.found, removed) },
    }))
  }

  async function setSearch(query: string): Promise<void> {
    setState(({ search }) => ({ search: { query, found: query.trim() === '' ? null : search.found } }))
    if (query.trim() === '') return
    try {
      const { sessions, hits } = await api.sessions({ query: query.trim() })
      if (getState().search.query === query) setState({ search: { query, found: { sessions, hits } } })
    } catch (error) {
      if (getState().search.query === query) onError(error)
    }
  }

  async function chooseModel(ref: string): Promise<void> {
    const { sessionId: current, isNew } = getState()
    kept.set(chosenModelKey, ref)
    setState(({ chosenModels }) => ({ chosenModels: { ...chosenModels, [current]: ref } }))
    void nameModel(ref)
    if (isNew) return
    try {
      await api.setModel(current, ref)
    } catch (error) {
      onError(error)
    }
  }

  function setSidebar(open: boolean): void {
    if (!screen.isNarrow()) kept.set(sidebarKey, open ? null : 'closed')
    setState({ sidebar: open })
  }

  function restingSidebar(): boolean {
    return !screen.isNarrow() && kept.get(sidebarKey) !== 'closed'
  }

  function restSidebar(): void {
    setState({ sidebar: restingSidebar() })
  }
}

function withoutSession(found: SessionSearchResult, sessionId: string): SessionSearchResult {
  return {
    sessions: found.sessions.filter(({ id }) => id !== sessionId),
    hits: found.hits.filter((hit) => hit.sessionId !== sessionId),
  }
}
