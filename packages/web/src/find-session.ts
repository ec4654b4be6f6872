import type { SessionView } from '@troupe/core'
import type { Folder } from '@troupe/core'
import type { KeyValueStorage } from './api/kept.ts'
import type { Api } from './api/api.ts'
import type { SearchHit } from '@troupe/core'
import type { PermissionInfo } from './api/rule-info.ts'
import type { ModelInfo } from './api/model-info.ts'
import type { Mode } from '@troupe/core'
import type { Ask } from '@troupe/core'
import type { ParamValues } from '@troupe/core/protocol'
import type { ListedSession } from './api/api.ts'

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
