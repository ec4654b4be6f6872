import { useMemo } from 'react'
import { useSessionStore } from '../session-context.ts'
import type { SessionActions } from '../session-store.ts'

export type ChatActions = Pick<
  SessionActions,
  | 'send'
  | 'enqueue'
  | 'sendQueued'
  | 'steer'
  | 'stop'
  | 'edit'
  | 'regenerate'
  | 'answer'
  | 'setDraft'
  | 'attach'
  | 'attachText'
  | 'detach'
  | 'showBranch'
  | 'goTo'
  | 'loadOlder'
> &
  Pick<SessionActions['panels'], 'open'>

/** What can be done in the conversation around this component. The same functions as long as it is the same one. */
export function useChatActions(): ChatActions {
  const store = useSessionStore()
  return useMemo(() => {
    const { send, enqueue, sendQueued, steer, stop, edit, regenerate, answer, setDraft, ...others } = store
    const { attach, attachText, detach, showBranch, goTo, loadOlder, panels } = others
    const writing = { send, enqueue, sendQueued, steer, stop, edit, regenerate, answer, setDraft }
    return { ...writing, attach, attachText, detach, showBranch, goTo, loadOlder, open: panels.open }
  }, [store])
}
