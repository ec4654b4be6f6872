import { isWaiting } from '../session-state.ts'
import type { SessionState } from '../session-state.ts'

/**
 * What goes on in a conversation: `new` and nothing said yet, `loading`, `ready` for a message, `submitted` and not a
 * word of the answer yet, `streaming`, `waiting` for the person, `failed` to load, `missing` since it was deleted.
 */
export type ChatStatus = 'new' | 'loading' | 'ready' | 'submitted' | 'streaming' | 'waiting' | 'failed' | 'missing'

export function chatStatus({ phase, run }: Pick<SessionState, 'phase' | 'run'>): ChatStatus {
  if (run === null || phase === 'missing') return phase
  if (isWaiting(run)) return 'waiting'
  return run.answer === null ? 'submitted' : 'streaming'
}
