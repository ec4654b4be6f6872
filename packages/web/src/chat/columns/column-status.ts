import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { isWaiting, type SessionState } from '../session/session-state.ts'
import type { Column } from '../session/session-types.ts'

export type ColumnStatus = 'writing' | 'waiting' | 'done' | 'failed' | 'stopped' | 'loading' | 'missing'

/** `isLive`: the session has a run, so an answer without text may still be written. */
export function columnStatus(
  { run, phase, messages }: Pick<SessionState, 'run' | 'phase' | 'messages'>,
  isLive: boolean,
): ColumnStatus {
  if (run !== null) return isWaiting(run) ? 'waiting' : 'writing'
  const { metadata } = messages.at(-1) ?? {}
  if (metadata?.error !== undefined) return 'failed'
  if ((metadata?.aborted ?? metadata?.interrupted ?? metadata?.stopped) !== undefined) return 'stopped'
  if (messages.length > 0) return 'done'
  if (phase === 'missing') return 'missing'
  return isLive ? 'writing' : 'loading'
}

const over: readonly ColumnStatus[] = ['done', 'failed', 'stopped']

/** Tells when an answer ends or needs approval. Returns an unsubscribe function. */
export function announceColumns(
  columns: readonly Column[],
  nameOf: (model: string) => string,
  say: (text: string) => void,
): () => void {
  const stops = columns.map(({ conversation, model }) => {
    let before = columnStatus(conversation.getState(), true)
    return conversation.subscribe((state) => {
      const now = columnStatus(state, true)
      if (now === before) return
      const wasLoading =
        before === 'loading' || (before === 'writing' && state.run === null && state.phase === 'loading')
      before = now
      if (wasLoading || (now !== 'waiting' && !over.includes(now))) return
      const own = t.columnView.said(nameOf(model), t.columnView.status[now])
      const all = columns.every((column) => over.includes(columnStatus(column.conversation.getState(), true)))
      say(all ? `${own} ${t.columnView.allDone}` : own)
    })
  })
  return () => {
    for (const stop of stops) stop()
  }
}
