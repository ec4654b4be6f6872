import type { Ask, Folder, Mode, SearchHit, SessionView } from '@troupe/core'
import type { ListedAsk, ParamValues } from '@troupe/protocol'
import type { Api, ListedSession } from '../api/api.ts'
import type { ModelInfo } from '../api/models.ts'
import type { PermissionInfo } from '../api/settings-types.ts'
import type { KeyValueStorage } from '../platform/storage.ts'
import type { SeenChats } from './seen-chats.ts'

/** Finds a session, listed or not. */
export function findSession(
  state: Pick<AppState, 'sessions' | 'unlistedSessions'>,
  sessionId: string,
): ListedSession | undefined {
  return state.sessions.find(({ id }) => id === sessionId) ?? state.unlistedSessions[sessionId]
}

export interface AppState extends SessionListState {
  access: 'checking' | 'open' | 'locked' | 'unreachable'
  /** True if the server rejected the last key. */
  isKeyRefused: boolean
  /** Current session. A new one without messages exists only on this page. */
  sessionId: string
  isNew: boolean
  /** True if this browser has not sent a message yet. */
  isFirstVisit: boolean
  /** Requested message. Each request creates a new object. */
  target: { messageId: string; words?: string } | null
  sessions: ListedSession[]
  /** Sessions by ID that are in view or need the user, but are beyond the loaded list. */
  unlistedSessions: Record<string, ListedSession>
  nextCursor: string | null
  search: { query: string; found: SessionSearchResult | null }
  models: ModelInfo[]
  modelsLoaded: boolean
  /** Providers that accept any model ID. */
  openProviders: { id: string; name: string }[]
  /** Models that the user typed, and models of chats that no provider lists. Latest last. */
  namedModels: string[]
  defaultModel: string | null
  modelsFailure: string | null
  /** User's choice by session. The latest choice also applies to new sessions. */
  chosenModels: Record<string, string>
  /** Models to compare, by session. Sessions that are not here may have a stored choice. */
  compared: Record<string, string[]>
  /** True if the next message is compared again after the user continued with an answer. */
  keepsComparing: boolean
  /** User's choice by session, until the server has it. */
  chosenModes: Record<string, Mode>
  /** Agents of sessions the server does not have yet, by session. Defaults to the master. */
  chosenAgents: Record<string, string>
  /** Projects of sessions the server does not have yet, by session. */
  chosenProjects: Record<string, ChosenProject>
  /** Model parameters by session, until the server has them. */
  chosenParams: Record<string, ParamValues>
  /** Permission state besides the rules. Null until loaded. */
  permissions: PermissionInfo | null
  seen: SeenChats
  /** Open asks of all sessions in all folders, oldest first. */
  asks: PageAsk[]
  sidebar: boolean
  /** True if the last request found no server. The page retries. */
  isAway: boolean
  /** Time of the server's response, if the data shown is cached. */
  cachedAt: number | null
  /** Workspace folder. Null until loaded. */
  workspacePath: string | null
  /** True if the folder did not respond at the last request. */
  hasSlowFolder: boolean
  dialog:
    | 'settings'
    | 'folders'
    | 'worktrees'
    | 'palette'
    | 'inbox'
    | 'context'
    | 'shortcuts'
    | 'import'
    | 'share'
    | 'review'
    | null
  /** Grows with every opening of a dialog, also of one that is still closing. */
  dialogTurn: number
  /** The branch of the dialog `share`. */
  shared: { sessionId: string; leaf: string | undefined } | null
  /** Chat whose approvals the dialog `review` shows. Null for those of all chats. */
  reviewedSession: string | null
  /** Open settings as `section` or `section/setting`. Empty for no particular section. */
  settingsAt: string
}

/** A project that a new chat starts in. */
export interface ChosenProject {
  id: string
  name: string
}

/** An ask. One of another folder names it. */
export type PageAsk = Ask & Partial<Pick<ListedAsk, 'folder' | 'sessionTitle'>>

export interface SessionSearchResult {
  sessions: ListedSession[]
  hits: SearchHit[]
}

export interface AppServices {
  api: Api
  /** Exchanges a one-time key for a credential. Throws only if no server responds. */
  exchangeKey: (key: string) => Promise<unknown>
  storage: KeyValueStorage
  /** On a narrow screen the session list covers the chat, so it stays closed unless in use. */
  screen: { isNarrow: () => boolean; onChange: (listener: () => void) => void }
  onError: (error: unknown) => void
  onSession: (sessionId: string, what: 'changed' | 'deleted') => void
  /** Called when the server no longer has the folder of this store. */
  onFolderGone?: () => void
}

/** Loaded sessions outside of the main list. */
export interface SessionListPage {
  sessions: ListedSession[]
  nextCursor: string | null
}

export interface SessionListState {
  folders: Folder[]
  openFolders: string[]
  folderPages: Record<string, SessionListPage>
  /** Current view: active, archived or trashed. */
  view: SessionView
  /** Sessions of the other views. Null until loaded. */
  otherView: SessionListPage | null
  /** Selected sessions in order. Null if selection is off. */
  picked: string[] | null
}

export const chosenModelKey = 'troupe.model'
export const namedModelsKey = 'troupe.models'
/** Names of models kept in this browser. */
export const mostNamedModels = 30

/**
 * Returns the current session's next model: chosen here, used before, last chosen for any session, or the server's
 * default.
 */
export function currentModel(state: AppState, kept: KeyValueStorage): string | undefined {
  const { sessionId, chosenModels, models, defaultModel } = state
  const candidates = [
    chosenModels[sessionId],
    findSession(state, sessionId)?.model,
    kept.get(chosenModelKey),
    defaultModel,
  ]
  const isUsable = (ref: string) => models.some((model) => model.ref === ref) || isNamed(state, ref)
  return candidates.find((ref) => ref != null && isUsable(ref)) ?? models[0]?.ref
}

/** True if the user may use the model though no provider lists it. */
function isNamed({ namedModels, openProviders }: AppState, ref: string): boolean {
  return namedModels.includes(ref) && openProviders.some(({ id }) => ref.startsWith(`${id}/`))
}

/** Agent of the current session. Null for the master. */
export function sessionAgent(state: AppState): string | null {
  const { sessionId, chosenAgents } = state
  const session = findSession(state, sessionId)
  return session === undefined ? (chosenAgents[sessionId] ?? null) : session.agent
}

/** Project of the current session. Null for the whole folder. */
export function sessionProject(state: AppState): string | null {
  const { sessionId, chosenProjects } = state
  const session = findSession(state, sessionId)
  return session === undefined ? (chosenProjects[sessionId]?.id ?? null) : session.projectId
}

/** Mode of the current session: a pending choice, the server's value, or the default for new sessions. */
export function currentMode(state: AppState): Mode {
  const { sessionId, chosenModes, permissions } = state
  return chosenModes[sessionId] ?? findSession(state, sessionId)?.mode ?? permissions?.mode ?? 'default'
}

export function availableModes({ bypass }: { bypass: boolean }): Mode[] {
  return bypass ? [...cycledModes, 'bypass'] : [...cycledModes]
}

/** Excludes the mode without approvals, so that repeated key presses never reach it. */
const cycledModes = ['default', 'accept-edits', 'plan'] as const satisfies Mode[]

export function nextMode(mode: Mode): Mode {
  const index = cycledModes.findIndex((one) => one === mode)
  return cycledModes[(index + 1) % cycledModes.length] ?? 'default'
}

type SessionListView = Pick<AppState, 'sessionId' | 'sessions' | 'folders' | 'openFolders' | 'folderPages'>

/** Returns the next (1) or previous (-1) session in the list, or the first if the current one is not listed. */
export function adjacentSession(state: SessionListView, step: 1 | -1): string | undefined {
  const ids = [...sessionIdsInFolders(state, null), ...state.sessions.map(({ id }) => id)]
  const at = ids.indexOf(state.sessionId)
  return at === -1 ? ids[0] : ids[at + step]
}

function sessionIdsInFolders(state: SessionListView, parent: string | null): string[] {
  return state.folders
    .filter(({ id, parentFolderId }) => parentFolderId === parent && state.openFolders.includes(id))
    .flatMap(({ id }) => [
      ...sessionIdsInFolders(state, id),
      ...(state.folderPages[id]?.sessions.map((one) => one.id) ?? []),
    ])
}
