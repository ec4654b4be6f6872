import type { Ask, Folder, Mode, SearchHit, SessionView } from '@troupe/core'
import type { ParamValues } from '@troupe/protocol'
import type { Api, ListedSession } from '../api/api.ts'
import type { ModelInfo } from '../api/models.ts'
import type { PermissionInfo } from '../api/settings-types.ts'
import type { KeyValueStorage } from '../platform/storage.ts'

/** What is known of a session, listed or not. */
export function findSession(state: Pick<AppState, 'sessions' | 'apart'>, sessionId: string): ListedSession | undefined {
  return state.sessions.find(({ id }) => id === sessionId) ?? state.apart[sessionId]
}

/** What the page knows beyond the session in sight. */
export interface AppState extends SessionListState {
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
  search: { query: string; found: SessionSearchResult | null }
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
  permissions: PermissionInfo | null
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

export interface SessionSearchResult {
  sessions: ListedSession[]
  hits: SearchHit[]
}

export interface AppServices {
  api: Api
  /** Trades a one-time key for a credential. Throws only when no server answers. */
  exchangeKey: (key: string) => Promise<unknown>
  kept: KeyValueStorage
  /** Narrow: the list of sessions covers the chat, so it is closed unless it is being used. */
  screen: { isNarrow: () => boolean; onChange: (listener: () => void) => void }
  onError: (error: unknown) => void
  /** Tells whoever else shows sessions what was done to one. */
  onSession: (sessionId: string, what: 'changed' | 'deleted') => void
}

/** Sessions that lie somewhere else than in the plain list, as far as they are loaded. */
export interface SessionListPage {
  sessions: ListedSession[]
  nextCursor: string | null
}

export interface SessionListState {
  folders: Folder[]
  /** The folders that are open in the list. */
  openFolders: string[]
  folderPages: Record<string, SessionListPage>
  /** What the list shows: what is at hand, put aside, or thrown away. */
  view: SessionView
  /** What the other views show; null until it is known. */
  aside: SessionListPage | null
  /** The sessions that are picked, in their order; null while nothing is being picked. */
  picked: string[] | null
}

export const chosenModelKey = 'troupe.model'

/** The model that the session in sight uses next: chosen here, chosen before, chosen for another session, the server's. */
export function currentModel(state: AppState, kept: KeyValueStorage): string | undefined {
  const { sessionId, chosenModels, models, defaultModel } = state
  const candidates = [
    chosenModels[sessionId],
    findSession(state, sessionId)?.model,
    kept.get(chosenModelKey),
    defaultModel,
  ]
  const listed = new Set(models.map(({ ref }) => ref))
  return candidates.find((ref) => ref != null && listed.has(ref)) ?? models[0]?.ref
}

/** Whom the session in sight talks to; null for the master. */
export function sessionAgent(state: AppState): string | null {
  const { sessionId, chosenAgents } = state
  const session = findSession(state, sessionId)
  return session === undefined ? (chosenAgents[sessionId] ?? null) : session.agent
}

/** What the session in sight is in: chosen here and on its way, the server's word, what new sessions begin in. */
export function currentMode(state: AppState): Mode {
  const { sessionId, chosenModes, permissions } = state
  return chosenModes[sessionId] ?? findSession(state, sessionId)?.mode ?? permissions?.mode ?? 'default'
}

/** Those that a person may choose here. */
export function availableModes({ bypass }: { bypass: boolean }): Mode[] {
  return bypass ? [...cycledModes, 'bypass'] : [...cycledModes]
}

/** The one in which nothing asks is never reached by a key that is pressed too often. */
const cycledModes = ['default', 'accept-edits', 'plan'] as const satisfies Mode[]

export function nextMode(mode: Mode): Mode {
  const index = cycledModes.findIndex((one) => one === mode)
  return cycledModes[(index + 1) % cycledModes.length] ?? 'default'
}

type SessionListView = Pick<AppState, 'sessionId' | 'sessions' | 'folders' | 'openFolders' | 'folderPages'>

/** The session that stands below (1) or above (-1) the one in sight in the list; the first, where it stands nowhere. */
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
