import type { SessionPatch, SessionView } from '@troupe/core'
import type { StoreApi } from 'zustand/vanilla'
import type { ListedSession } from '../api/api.ts'
import { isUnreachable } from '../api/request.ts'
import { notice } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import type { AppServices, AppState, SessionListPage, SessionListState } from './app-state.ts'

export interface SessionListActions {
  refreshShelf: () => Promise<void>
  setView: (view: SessionView) => Promise<void>
  toggleFolder: (folderId: string) => Promise<void>
  loadMoreOf: (folderId: string | null) => Promise<void>
  addFolder: (name: string, options?: { parentFolderId?: string; sessionIds?: readonly string[] }) => Promise<void>
  renameFolder: (folderId: string, name: string) => Promise<void>
  deleteFolder: (folderId: string) => Promise<void>
  /** Applies the same change to each session. Archived and trashed sessions leave the list at once. */
  changeSessions: (sessionIds: readonly string[], patch: SessionListPatch) => Promise<void>
  deleteForGood: (sessionIds: readonly string[]) => Promise<void>
  emptyTrash: () => Promise<void>
  setPicked: (picked: string[] | null) => void
}

export type SessionListPatch = Pick<SessionPatch, 'pinned' | 'archived' | 'trashed' | 'folderId'>

interface SessionListServices extends Pick<AppServices, 'api' | 'storage' | 'onError' | 'onSession'> {
  refresh: () => Promise<void>
  forget: (sessionId: string) => void
  newSession: () => void
}

function tellPublished(places: readonly string[]): void {
  if (places.length > 0) notice(t.sessions.stillPublished(places.join(', ')))
}

const openFoldersKey = 'troupe.openFolders'
const maxConcurrent = 4

export function initialSessionList(kept: AppServices['storage']): SessionListState {
  const openFolders = (kept.get(openFoldersKey) ?? '').split(' ').filter((id) => id !== '')
  return { folders: [], openFolders, folderPages: {}, view: 'active', otherView: null, picked: null }
}

export function createSessionListActions(
  { getState, setState }: StoreApi<AppState>,
  needed: SessionListServices,
): SessionListActions {
  const { api, storage: kept, onError, onSession } = needed
  const asked = new Set<string>()

  return {
    refreshShelf,
    setView,
    toggleFolder,
    loadMoreOf,
    setPicked: (picked) => setState({ picked }),
    addFolder: (
      name,
      {
        parentFolderId = null,
        sessionIds = [],
      }: { parentFolderId?: string | null; sessionIds?: readonly string[] } = {},
    ) =>
      attempt(async () => {
        const { folder } = await api.addFolder(name, parentFolderId)
        setOpen([...getState().openFolders, folder.id, ...(parentFolderId === null ? [] : [parentFolderId])])
        await forEachLimited(sessionIds, (id) => api.changeSession(id, { folderId: folder.id }))
      }),
    renameFolder: (id, name) => attempt(() => api.changeFolder(id, { name })),
    deleteFolder: (id) => attempt(() => api.deleteFolder(id)),
    changeSessions: (ids, patch) =>
      attempt(async () => {
        const changed: ListedSession[] = []
        await forEachLimited(ids, async (id) => changed.push((await api.changeSession(id, patch)).session))
        if (patch.pinned === undefined) takeAway(ids)
        for (const session of changed) putBack(session)
        for (const id of ids) {
          if (patch.trashed === true) needed.forget(id)
          onSession(id, 'changed')
        }
        if (patch.trashed === true && ids.includes(getState().sessionId)) needed.newSession()
        setState({ picked: null })
      }),
    deleteForGood: (ids) =>
      attempt(async () => {
        const stillPublished: string[] = []
        await forEachLimited(ids, async (id) => {
          stillPublished.push(...(await api.deleteSession(id)).stillPublished)
        })
        tellPublished(stillPublished)
        for (const id of ids) {
          needed.forget(id)
          onSession(id, 'deleted')
        }
        if (ids.includes(getState().sessionId)) needed.newSession()
        setState({ picked: null })
      }),
    emptyTrash: () =>
      attempt(async () => {
        const { deleted, stillPublished } = await api.emptyTrash()
        tellPublished(stillPublished)
        for (const id of deleted) onSession(id, 'deleted')
        if (deleted.includes(getState().sessionId)) needed.newSession()
      }),
  }

  /** Hides moved sessions until their new place is known, so they never appear twice. */
  function takeAway(ids: readonly string[]): void {
    const left = (sessions: ListedSession[]) => sessions.filter(({ id }) => !ids.includes(id))
    setState(({ sessions, folderPages, otherView: aside }) => ({
      sessions: left(sessions),
      otherView: aside && { ...aside, sessions: left(aside.sessions) },
      folderPages: Object.fromEntries(
        Object.entries(folderPages).map(([id, page]) => [id, { ...page, sessions: left(page.sessions) }]),
      ),
    }))
  }

  /** Inserts the session at its sorted position, because a reload covers only the first page. */
  function putBack(session: ListedSession): void {
    if (session.archived || session.trashedAt !== null || session.folderId !== null) return
    setState(({ sessions, nextCursor }) => {
      if (sessions.some(({ id }) => id === session.id)) return {}
      const next = sessions.findIndex((one) => isListedAfter(one, session))
      if (next === -1 && nextCursor !== null) return {}
      return { sessions: sessions.toSpliced(next === -1 ? sessions.length : next, 0, session) }
    })
  }

  /** Reloads afterwards, even on failure, so that the page shows the actual state. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      onError(error)
    }
    await needed.refresh()
  }

  async function refreshShelf(): Promise<void> {
    try {
      const { folders } = await api.folders()
      const open = getState().openFolders.filter((id) => folders.some((folder) => folder.id === id))
      const { view } = getState()
      const [pages, aside] = await Promise.all([
        Promise.all(open.map(async (id) => [id, await api.sessions({ view: 'active', folder: id })] as const)),
        view === 'active' ? null : api.sessions({ view }),
      ])
      setState(({ folderPages, otherView: before, view: now }) => ({
        folders,
        folderPages: Object.fromEntries(pages.map(([id, page]) => [id, mergePages(page, folderPages[id])])),
        ...(now === view && { otherView: aside && mergePages(aside, before) }),
      }))
    } catch (error) {
      if (!isUnreachable(error)) onError(error)
    }
  }

  async function setView(view: SessionView): Promise<void> {
    setState({ view, otherView: null, picked: null })
    await refreshShelf()
  }

  async function toggleFolder(id: string): Promise<void> {
    const { openFolders } = getState()
    setOpen(openFolders.includes(id) ? openFolders.filter((one) => one !== id) : [...openFolders, id])
    await refreshShelf()
  }

  function setOpen(ids: string[]): void {
    const openFolders = [...new Set(ids)]
    kept.set(openFoldersKey, openFolders.length === 0 ? null : openFolders.join(' '))
    setState({ openFolders })
  }

  async function loadMoreOf(folderId: string | null): Promise<void> {
    const { folderPages, otherView: aside, view } = getState()
    const shown = folderId === null ? aside : folderPages[folderId]
    const cursor = shown?.nextCursor
    if (cursor == null || asked.has(cursor)) return
    asked.add(cursor)
    try {
      const more = await api.sessions({
        view: folderId === null ? view : 'active',
        folder: folderId ?? undefined,
        cursor,
      })
      setState(({ folderPages: pages, otherView: other }) => {
        const now = folderId === null ? other : pages[folderId]
        // The list was reloaded in the meantime, or another view is shown.
        if (now?.nextCursor !== cursor) return {}
        const page = { sessions: [...now.sessions, ...more.sessions], nextCursor: more.nextCursor }
        return folderId === null ? { otherView: page } : { folderPages: { ...pages, [folderId]: page } }
      })
    } catch (error) {
      onError(error)
    } finally {
      asked.delete(cursor)
    }
  }
}

/** Merges a fresh first page with the older pages loaded before. */
function mergePages(page: SessionListPage, before: SessionListPage | null | undefined): SessionListPage {
  const last = page.sessions.at(-1)
  if (page.nextCursor === null || last === undefined || before == null) return page
  const known = new Set(page.sessions.map(({ id }) => id))
  const below = before.sessions.filter((one) => !known.has(one.id) && isListedAfter(one, last))
  return { sessions: [...page.sessions, ...below], nextCursor: below.length > 0 ? before.nextCursor : page.nextCursor }
}

/** List order: pinned first, then newest. */
export function isListedAfter(one: ListedSession, last: ListedSession): boolean {
  return one.pinned === last.pinned ? one.updatedAt < last.updatedAt : last.pinned
}

/** Runs a few at a time. Throws the first error after all have finished. */
async function forEachLimited(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  const waiting = [...ids]
  const next = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await work(id).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: maxConcurrent }, next))
  if (failures.length > 0) throw failures[0] as Error
}
