import type { StoreApi } from 'zustand/vanilla'
import type { Api, Removed } from '../../api/api.ts'
import { ApiError, toErrorInfo } from '../../api/request.ts'
import { browserStorage } from '../../platform/storage.ts'
import { notice } from '../../state/notices.tsx'
import { t } from '../../texts/t.ts'
import { type SessionState, withOlderPage, withPage } from './session-state.ts'
import type { RemovalActions, UndoRemoval } from './session-types.ts'

const rewindKey = 'troupe.rewound.'

function readRewind(sessionId: string): string | null | undefined {
  const kept = browserStorage.get(rewindKey + sessionId)
  return kept === null ? undefined : kept === '' ? null : kept
}

function emptied(page: MessagesPage): MessagesPage {
  return { ...page, leafMessageId: null, messages: [], page: { hasMore: false, before: null } }
}

type MessagesPage = Awaited<ReturnType<Api['messages']>>

const pageSize = 60
/** Page size when loading up to a distant message. */
const largePageSize = 500

export function createBranchReader(store: StoreApi<SessionState>, api: Api, onError: (error: unknown) => void) {
  const { sessionId } = store.getState()
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  /** Shows the newest branch through this message. Undefined shows the newest of all. */
  let through: string | undefined
  /** Ends the branch at this message, or before the first with null. Survives a reload. */
  let until = readRewind(sessionId)
  /** Incremented on a branch switch, so that late responses of the old branch are ignored. */
  let revision = 0

  if (until !== undefined) change((state) => ({ ...state, isRewound: true }))

  return { refresh, showNewest, showBranch, rewindTo, loadOlder, loadUpTo }

  /** Returns `late` if the user switched branches in the meantime. */
  async function refresh(): Promise<'read' | 'late' | 'failed'> {
    const asked = revision
    try {
      return await read(asked)
    } catch (error) {
      if (asked !== revision) return 'late'
      const gone = error instanceof ApiError && error.status === 404
      if (gone && (through !== undefined || until !== undefined)) {
        // Maybe only that message is gone, because its branch was deleted elsewhere.
        showNewest()
        return refresh()
      }
      change((state) => {
        if (state.phase === 'ready' && !gone) return state
        return { ...state, phase: gone ? 'missing' : 'failed', failure: toErrorInfo(error) }
      })
      return 'failed'
    }
  }

  async function read(asked: number): Promise<'read' | 'late'> {
    const page = await api.messages(sessionId, { limit: pageSize, ...branchEnd() })
    if (asked !== revision) return 'late'
    change((state) => withPage(state, until === null ? emptied(page) : page))
    return 'read'
  }

  /** Switches to the newest branch and invalidates pending reads. */
  function showNewest(): void {
    through = undefined
    setUntil(undefined)
    revision++
  }

  async function showBranch(messageId: string): Promise<void> {
    const before = through
    through = messageId
    setUntil(undefined)
    const asked = ++revision
    try {
      await read(asked)
    } catch (error) {
      if (asked === revision) through = before
      onError(error)
    }
  }

  /** Hides everything after a message; null hides all, undefined nothing. The next message starts a branch there. */
  async function rewindTo(messageId: string | null | undefined): Promise<void> {
    const hidden = store.getState().messages.at(-1)?.id
    // Show the hidden branch again, not a newer one.
    if (messageId === undefined) return showBranch(until ?? hidden ?? '')
    through = undefined
    setUntil(messageId)
    const asked = ++revision
    try {
      await read(asked)
    } catch (error) {
      onError(error)
    }
  }

  function setUntil(messageId: string | null | undefined): void {
    if (until === messageId) return
    until = messageId
    browserStorage.set(rewindKey + sessionId, messageId === undefined ? null : (messageId ?? ''))
    change((state) => ({ ...state, isRewound: messageId !== undefined }))
  }

  function branchEnd(): { leaf?: string; end?: '1' } {
    return until === undefined || until === null ? { leaf: through } : { leaf: until, end: '1' }
  }

  /** Loads older pages until the message or the start of the branch is loaded. */
  async function loadUpTo(messageId: string): Promise<void> {
    const isThere = () => store.getState().messages.some(({ id }) => id === messageId)
    let before: string | null | undefined
    // If a read made no progress, another one is active or has failed.
    while (!isThere() && before !== store.getState().older.before) {
      before = store.getState().older.before
      await loadOlder(largePageSize)
    }
  }

  async function loadOlder(limit = pageSize): Promise<void> {
    const { older } = store.getState()
    if (!older.hasMore || older.loading || older.before === null) return
    const asked = revision
    change((state) => ({ ...state, older: { ...state.older, loading: true } }))
    try {
      const page = await api.messages(sessionId, {
        before: older.before,
        limit,
        ...branchEnd(),
      })
      if (asked === revision) change((state) => withOlderPage(state, page))
    } catch (error) {
      onError(error)
    } finally {
      change((state) => ({ ...state, older: { ...state.older, loading: false } }))
    }
  }
}

interface RemovalServices {
  api: Api
  branch: ReturnType<typeof createBranchReader>
  onChange: () => void
  onError: (error: unknown) => void
}

/** The server deletes immediately and stores the undo data. So all tabs agree, and a crash loses nothing. */
export function createRemovalActions(store: StoreApi<SessionState>, services: RemovalServices): RemovalActions {
  const { api, branch, onChange, onError } = services
  const { sessionId } = store.getState()

  return { remove, keepOnly }

  async function remove(messageId: string): Promise<UndoRemoval> {
    const { siblings, messages } = store.getState()
    const place = siblings[messageId]
    const parent = messages.find(({ id }) => id === messageId)?.parentMessageId
    const neighbor = place?.prev ?? place?.next ?? parent ?? undefined
    return tried(async () => {
      const removed = await api.deleteMessage(sessionId, messageId)
      await show(neighbor)
      return offerUndo(t.chat.deleted(removed.deleted.length), removed, messageId)
    })
  }

  async function keepOnly(messageId: string): Promise<UndoRemoval> {
    return tried(async () => {
      const removed = await api.keepBranch(sessionId, messageId)
      await show(messageId)
      return offerUndo(t.chat.otherBranchesDeleted(removed.deleted.length), removed, messageId)
    })
  }

  function offerUndo(text: string, { removalId, deleted }: Removed, messageId: string): UndoRemoval {
    if (deleted.length === 0) {
      notice(text)
      return undefined
    }
    const undo = () =>
      tried(async () => {
        await api.undoRemoval(sessionId, removalId)
        await show(messageId)
      })
    notice(text, { label: t.ui.undo, onSelect: () => void undo() })
    return undo
  }

  async function show(messageId: string | undefined): Promise<void> {
    if (messageId !== undefined) await branch.showBranch(messageId)
    else {
      branch.showNewest()
      await branch.refresh()
    }
    onChange()
  }

  async function tried<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      onError(error)
      return undefined
    }
  }
}
