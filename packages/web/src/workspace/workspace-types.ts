import type { RecentFolder } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import type { FilePartData } from '../chat/session/session-state.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import type { PageTools } from '../page-tools/page-tools.ts'
import type { ClientIds } from '../platform/storage.ts'
import type { AppStore } from './app-store.ts'
import type { Notifications } from './notifications.ts'

/** Everything about one folder. `Folders` keeps those of a page, and the one in view is passed down. */
export interface Workspace {
  api: Api
  app: AppStore
  /** Id of the folder. Null: the one that the server was started in. */
  folder: string | null
  folders: Folders
  ids: ClientIds
  pageTools: PageTools
  notifications: Notifications
  /** Returns a signed URL in this folder that the browser can load by itself, such as an image or a download. */
  link(path: string): string
  /** Returns the session's store. Recently used stores are cached. */
  session(sessionId: string): ChatSessionStore
  /** Tells other tabs that a session changed. */
  announce(sessionId: string): void
  sendAsNew(text: string, files: FilePartData[]): void
  /** Reloads everything in view. */
  refresh(): Promise<void>
  /** Like `refresh`, but only if another client changed the current session. */
  glance(): Promise<void>
}

export interface FoldersState {
  /** Folder in view. Null: the one that the server was started in. */
  current: string | null
  /** Recent folders, last used first. Null until loaded. */
  recent: RecentFolder[] | null
  /** Places where folders can be opened. */
  roots: string[]
  /** True if the sidebar shows the chats of all folders. */
  showsAll: boolean
}

/** The folders of this page. Each has a workspace of its own: chats, drafts, models, rules and runs. */
export interface Folders extends StoreApi<FoldersState> {
  /** Workspace of a folder, or of the one in view. */
  workspace(id?: string | null): Workspace
  /** Shows a folder, with a chat of it if given. The runs of the other folders continue. */
  show(id: string | null, sessionId?: string | null): void
  /** Opens a folder by its path and shows it. Throws `ApiError`. */
  open(path: string, options?: { create?: boolean }): Promise<void>
  /** Removes a folder from the recent ones. */
  remove(id: string): Promise<void>
  /** Loads the recent folders. `session`: shows the folder that has this chat. */
  refresh(session?: string): Promise<void>
  setShowsAll(on: boolean): void
}
