import type { RecentFolder } from '@troupe/protocol'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { isUnreachable } from '../api/request.ts'
import { notice, noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import type { Folders, FoldersState, Workspace } from './workspace-types.ts'
import { createPageParts, createWorkspace, useWorkspace } from './workspace.ts'

/** Chats shown of each folder when all folders are shown. */
const chatsOfEach = 8

export function createFolders(at: { folder: string | null; sessionId: string | null }): Folders {
  const store = createStore<FoldersState>(() => ({ current: at.folder, recent: null, roots: [], showsAll: false }))
  const { getState, setState } = store
  const opened = new Map<string | null, Workspace>()
  const page = createPageParts({
    current: () => folders.workspace(),
    onAnswered: (ids) => {
      for (const { app } of opened.values()) app.asksAnswered(ids)
    },
  })

  const folders: Folders = {
    ...store,
    workspace(id = getState().current) {
      const key = keyOf(id)
      const known = opened.get(key)
      if (known !== undefined) return known
      const workspace = createWorkspace({ folder: key, sessionId: null, folders, page, onGone: () => leave(key) })
      opened.set(key, workspace)
      return workspace
    },
    show(id, sessionId) {
      const before = folders.workspace()
      const isNew = !opened.has(keyOf(id))
      const { app } = folders.workspace(id)
      if (sessionId != null) app.select(sessionId)
      if (keyOf(id) === getState().current) return
      // Shown at once, with what folders have in common. The rest follows.
      const { access, models, openProviders, defaultModel, sidebar, asks } = before.app.getState()
      if (isNew) app.setState({ access, models, openProviders, defaultModel, asks })
      app.setState({ sidebar, dialog: null })
      setState({ current: keyOf(id) })
      void app.start(null)
      void folders.refresh()
    },
    async open(path, { create } = {}) {
      const { workspace } = await folders.workspace().api.openFolder(path, create)
      await folders.refresh()
      folders.show(workspace.id)
      setState({ showsAll: false })
    },
    async remove(id) {
      try {
        await folders.workspace().api.removeFolder(id)
        if (keyOf(id) === getState().current) folders.show(null)
        opened.delete(keyOf(id))
      } catch (error) {
        noticeError(error)
      }
      await folders.refresh()
    },
    async refresh(session) {
      try {
        const { showsAll } = getState()
        const found = await folders.workspace().api.recentFolders({ session, ...(showsAll && { chats: chatsOfEach }) })
        // An answer without chats must not replace one with them.
        if (showsAll !== getState().showsAll) return
        setState({ recent: found.workspaces, roots: found.roots })
        const other = found.sessionWorkspaceId
        if (session !== undefined && other !== null && keyOf(other) !== getState().current) folders.show(other, session)
      } catch (error) {
        if (!isUnreachable(error)) noticeError(error)
      }
    },
    setShowsAll(showsAll) {
      setState({ showsAll })
      void folders.refresh()
    },
  }
  opened.set(at.folder, createWorkspace({ ...at, folders, page, onGone: () => leave(at.folder) }))
  return folders

  function keyOf(id: string | null): string | null {
    return getState().recent?.find((one) => one.id === id)?.own === true ? null : id
  }

  /** The server does not have the folder: it was removed elsewhere, or the address is old. */
  function leave(id: string | null): void {
    if (id === null || getState().current !== id) return
    folders.show(null)
    opened.delete(id)
    notice(t.folders.gone)
  }
}

export function useFolders<Value>(select: (state: FoldersState) => Value): Value {
  return useStore(useWorkspace().folders, select)
}

/** The entry of the folder in view among the recent ones. */
export function currentFolder({ current, recent }: FoldersState): RecentFolder | undefined {
  return recent?.find(({ id, own }) => (current === null ? own : id === current))
}
