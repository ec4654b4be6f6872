import { newId } from '@troupe/core/protocol'
import type { ParamValues } from '@troupe/core/protocol'
import type { Ask, Mode, SearchHit } from '@troupe/core'
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import { ApiError, isUnreachable, toErrorInfo } from './api/api-error.ts'
import type { Api, ListedSession } from './api/api.ts'
import type { Kept } from './api/kept.ts'
import type { ModelInfo } from './api/model-info.ts'
import type { PermissionFacts } from './api/rule-info.ts'
import { createAgentActions } from './agents/agent-actions.ts'
import type { AgentActions } from './agents/agent-actions.ts'
import { chosenModelKey } from './current-model.ts'
import { createAskActions } from './inbox/ask-actions.ts'
import type { AskActions } from './inbox/ask-actions.ts'
import { createParamActions } from './composer/param-actions.ts'
import type { ParamActions } from './composer/param-actions.ts'
import { comesAfter, createShelfActions, initialShelf } from './sessions/shelf-actions.ts'
import type { ShelfActions, ShelfState } from './sessions/shelf-actions.ts'
import { createModeActions } from './modes/mode-actions.ts'
import type { ModeActions } from './modes/mode-actions.ts'

/** What the page knows beyond the session in sight. */
export interface AppState extends ShelfState {
  access: 'checking' | 'open' | 'locked' | 'unreachable'
  /** The last key that was given opened nothing. */
  isKeyRefused: boolean
  /** The session in sight. One that nothing was said in yet exists only here. */
  sessionId: string
  isNew: boolean
  /** Nothing was said from this browser yet. */
  isFirstVisit: boolean
  /** The message that was asked for, once per asking. */
  target: { messageId: string; words?: string } | null
  sessions: ListedSession[]
  /** Sessions that are in sight or wait for the person, and that the list does not reach, by their id. */
  apart: Record<string, ListedSession>
  nextCursor: string | null
  search: { query: string; found: Found | null }
  models: ModelInfo[]
  modelsLoaded: boolean
  defaultModel: string | null
  modelsFailure: string | null
  /** The person's choice by session; the newest choice also counts for new ones. */
  chosenModels: Record<string, string>
  /** The person's choice by session, until the server has it. */
  chosenModes: Record<string, Mode>
  /** Whom sessions that the server does not have yet are to talk to, by session; the master where none is named. */
  chosenAgents: Record<string, string>
  /** Settings of the model by session, until the server has them. */
  chosenParams: Record<string, ParamValues>
  /** What decides about calls besides rules; null until it is known. */
  permissions: PermissionFacts | null
  /** What waits for the person, in any session, oldest first. */
  asks: Ask[]
  sidebar: boolean
  /** The last request found no server; the page tries again. */
  isAway: boolean
  /** When the server said what is shown, where it was kept since then. */
  keptAt: number | null
  /** The folder that is worked in; null until it is known. */
  workspacePath: string | null
  /** What is open over the chat. */
  dialog: 'settings' | 'palette' | 'inbox' | 'context' | 'shortcuts' | 'import' | null
  /** Where the settings are open, `section` or `section/setting`; empty where no section was asked for. */
  settingsAt: string
}

export interface Found {
  sessions: ListedSession[]
  hits: SearchHit[]
}

export type AppStore = StoreApi<AppState> & AppActions

export interface AppActions extends AskActions, ModeActions, AgentActions, ParamActions, ShelfActions {
  /** Trades the one-time key for a credential if there is one, then reads what there is. */
  start: (key: string | null) => Promise<void>
  refresh: () => Promise<void>
  refreshModels: () => Promise<void>
  refreshPermissions: () => Promise<void>
  loadMoreSessions: () => Promise<void>
  /** Brings a session into sight; with a message, that message of it. */
  select: (sessionId: string, messageId?: string, words?: string) => void
  newSession: () => void
  /** The session in sight has its first message. */
  sessionBegan: () => void
  titleChanged: (sessionId: string, title: string) => void
  rename: (sessionId: string, title: string) => Promise<void>
  remove: (sessionId: string) => Promise<void>
  /** The session was deleted elsewhere. */
  forget: (sessionId: string) => void
  setSearch: (query: string) => Promise<void>
  chooseModel: (ref: string) => Promise<void>
  setSidebar: (open: boolean) => void
  setDialog: (dialog: AppState['dialog']) => void
  /** Shows the settings, a section of them, or a setting: `models`, `models/new`. */
  openSettings: (at?: string) => void
}

export interface AppServices {
  api: Api
  /** Trades a one-time key for a credential. Throws only when no server answers. */
  exchangeKey: (key: string) => Promise<unknown>
  kept: Kept
  /** Narrow: the list of sessions covers the chat, so it is closed unless it is being used. */
  screen: { isNarrow: () => boolean; onChange: (listener: () => void) => void }
  onError: (error: unknown) => void
  /** Tells whoever else shows sessions what was done to one. */
  onSession: (sessionId: string, what: 'changed' | 'deleted') => void
}

const sidebarKey = 'troupe.sidebar'
const begunKey = 'troupe.begun'

export function createAppStore(sessionId: string | null, services: AppServices): AppStore {
  const { api, exchangeKey, kept, screen, onError, onSession } = services
  const store = createStore<AppState>(() => ({
    access: 'checking',
    isKeyRefused: false,
    sessionId: sessionId ?? newId('s'),
    isNew: sessionId === null,
    isFirstVisit: kept.get(begunKey) === null,
    target: null,
    sessions: [],
    apart: {},
    nextCursor: null,
    search: { query: '', found: null },
    ...initialShelf(kept),
    models: [],
    modelsLoaded: false,
    defaultModel: null,
    modelsFailure: null,
    chosenModels: {},
    chosenModes: {},
    chosenAgents: {},
    chosenParams: {},
    permissions: null,
    asks: [],
    sidebar: restingSidebar(),
    isAway: false,
    keptAt: null,
    workspacePath: null,
    dialog: null,
    settingsAt: '',
  }))
  const { getState, setState } = store
  /** Of the page of sessions that is on its way. */
  let askedCursor: string | null = null
  screen.onChange(restSidebar)
  const asks = createAskActions(store, services)
  const modes = createModeActions(store, services)
  const shelf = createShelfActions(store, { ...services, refresh, forget, newSession })

  return {
    ...store,
    ...asks,
    ...modes,
    ...shelf,
    ...createAgentActions(store),
    ...createParamActions(store, services),
    start,
    refresh,
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
    setDialog: (dialog) => setState({ dialog }),
    openSettings: (at = '') => setState({ dialog: 'settings', settingsAt: at }),
  }

  async function start(key: string | null): Promise<void> {
    try {
      // A key that was used before (a reloaded tab) is no harm as long as the credential is still good.
      if (key !== null) await exchangeKey(key)
    } catch {
      return setState({ access: 'unreachable' })
    }
    await refresh()
    setState({ isKeyRefused: key !== null && getState().access === 'locked' })
  }

  async function refresh(): Promise<void> {
    try {
      const revision = modes.modeRevision()
      const page = await api.sessions({ view: 'active', folder: 'none' })
      // It may tell of modes as they were before.
      if (revision !== modes.modeRevision()) return await refresh()
      setState(({ sessions, nextCursor }) => {
        const known = new Set(page.sessions.map(({ id }) => id))
        const last = page.sessions.at(-1)
        const below =
          page.nextCursor === null || last === undefined
            ? []
            : sessions.filter((one) => !known.has(one.id) && comesAfter(one, last))
        return {
          access: 'open',
          sessions: [...page.sessions, ...below],
          nextCursor: below.length > 0 ? nextCursor : page.nextCursor,
        }
      })
      modes.modesRead()
      await Promise.all([
        asks.refreshApart().then(asks.refreshAsks),
        shelf.refreshShelf(),
        ...(getState().permissions === null ? [refreshPermissions()] : []),
        ...(getState().modelsLoaded ? [] : [refreshModels(), readWorkspace()]),
      ])
    } catch (error) {
      const locked = error instanceof ApiError && error.status === 401
      if (locked) setState({ access: 'locked' })
      else if (getState().access !== 'open') setState({ access: 'unreachable' })
    }
  }

  async function loadMoreSessions(): Promise<void> {
    const { nextCursor: cursor } = getState()
    if (cursor === null || cursor === askedCursor) return
    askedCursor = cursor
    try {
      const page = await api.sessions({ view: 'active', folder: 'none', cursor })
      setState(({ sessions, nextCursor }) =>
        // Otherwise the list has been read anew meanwhile.
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
      const { models, defaultModel } = await api.models()
      setState({ models, modelsLoaded: true, defaultModel, modelsFailure: null })
    } catch (error) {
      setState({ modelsFailure: toErrorInfo(error).message })
    }
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
      target: messageId === undefined ? null : { messageId, ...(words !== undefined && { words }) },
    })
    restSidebar()
    void asks.refreshApart()
  }

  function newSession(): void {
    setState({ sessionId: newId('s'), isNew: true, target: null })
    restSidebar()
  }

  function sessionBegan(): void {
    if (!getState().isNew) return
    kept.set(begunKey, 'yes')
    setState({ isNew: false, isFirstVisit: false })
  }

  function titleChanged(changed: string, title: string): void {
    setState(({ sessions, apart }) => ({
      sessions: sessions.map((session) => (session.id === changed ? { ...session, title } : session)),
      apart: apart[changed] === undefined ? apart : { ...apart, [changed]: { ...apart[changed], title } },
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
    setState(({ sessions, apart, asks, search, aside }) => ({
      sessions: sessions.filter(({ id }) => id !== removed),
      aside: aside && { ...aside, sessions: aside.sessions.filter(({ id }) => id !== removed) },
      apart: Object.fromEntries(Object.entries(apart).filter(([id]) => id !== removed)),
      asks: asks.filter((ask) => ask.sessionId !== removed),
      search: { ...search, found: search.found && without(search.found, removed) },
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

function without(found: Found, sessionId: string): Found {
  return {
    sessions: found.sessions.filter(({ id }) => id !== sessionId),
    hits: found.hits.filter((hit) => hit.sessionId !== sessionId),
  }
}
