import type { UndoRemoval } from './session-services.ts'
import type { RemovalActions } from './session-services.ts'
import type { StoreApi } from 'zustand/vanilla'
import type { Api, Removed } from '../api/api.ts'
import { t } from '../texts/t.ts'
import { notice } from '../ui/notices.tsx'
import type { createBranchReader } from './branch-reader.ts'
import type { SessionState } from './session-state.ts'

export interface RemovalServices {
  api: Api
  branch: ReturnType<typeof createBranchReader>
  /** Tells whoever else shows the session. */
  onChange: () => void
  onError: (error: unknown) => void
}

/** The server deletes at once and keeps what it takes to undo it: every tab shows the same, and a crash loses nothing. */
export function createRemovalActions(store: StoreApi<SessionState>, services: RemovalServices): RemovalActions {
  const { api, branch, onChange, onError } = services
  const { sessionId } = store.getState()

  return { remove, keepOnly }

  async function remove(messageId: string): Promise<UndoRemoval> {
    const { siblings, messages } = store.getState()
    const place = siblings[messageId]
    const parent = messages.find(({ id }) => id === messageId)?.parentMessageId
    const beside = place?.prev ?? place?.next ?? parent ?? undefined
    return tried(async () => {
      const removed = await api.deleteMessage(sessionId, messageId)
      await show(beside)
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
