import type { StoreApi } from 'zustand/vanilla'
import { ApiError, toErrorInfo } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { withOlderPage, withPage } from './session-state.ts'
import type { SessionState } from './session-state.ts'

const pageSize = 60

/** Reads the branch that is looked at, page by page from its tail. */
export function createBranchReader(store: StoreApi<SessionState>, api: Api, onError: (error: unknown) => void) {
  const { sessionId } = store.getState()
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  /** Where the branch in sight ends; undefined shows the newest. */
  let leaf: string | undefined
  /** Goes up when another branch is chosen here, so that a page that was asked for earlier is not taken for it. */
  let revision = 0

  return { refresh, showNewest, showBranch, loadOlder }

  /** `late` when what was read is no longer what is looked at. */
  async function refresh(): Promise<'read' | 'late' | 'failed'> {
    const asked = revision
    try {
      const page = await api.messages(sessionId, { limit: pageSize, ...(leaf !== undefined && { leaf }) })
      if (asked !== revision) return 'late'
      change((state) => withPage(state, page))
      return 'read'
    } catch (error) {
      if (asked !== revision) return 'late'
      const missing = error instanceof ApiError && error.status === 404
      change((state) => {
        if (state.phase === 'ready' && !missing) return state
        return { ...state, phase: missing ? 'missing' : 'failed', failure: toErrorInfo(error) }
      })
      return 'failed'
    }
  }

  /** From now on the newest branch is looked at; what is being read is of no use any more. */
  function showNewest(): void {
    leaf = undefined
    revision++
  }

  async function showBranch(messageId: string): Promise<void> {
    const asked = ++revision
    try {
      // The page before a message names the newest leaf below it.
      const { leafMessageId } = await api.messages(sessionId, { before: messageId, limit: 1 })
      if (asked !== revision) return
      leaf = leafMessageId ?? messageId
      await refresh()
    } catch (error) {
      onError(error)
    }
  }

  async function loadOlder(): Promise<void> {
    const { older } = store.getState()
    if (!older.hasMore || older.loading || older.before === null) return
    const asked = revision
    change((state) => ({ ...state, older: { ...state.older, loading: true } }))
    try {
      const page = await api.messages(sessionId, {
        before: older.before,
        limit: pageSize,
        ...(leaf !== undefined && { leaf }),
      })
      if (asked === revision) change((state) => withOlderPage(state, page))
    } catch (error) {
      onError(error)
    } finally {
      change((state) => ({ ...state, older: { ...state.older, loading: false } }))
    }
  }
}
