import { compactIfNeeded } from '../compaction/make-room.ts'
import { closeTurn, restoreOutcome, failTurn, type RunOutcome } from '../run/end-turn.ts'
import type { RunInput } from '../run/run-input.ts'
import { firstMetadata, openTurn, type Turn } from '../run/turn.ts'

/** A run that answers nothing: it puts the older part of the conversation in fewer words, as the person asked. */
export async function compactRun(input: RunInput): Promise<RunOutcome> {
  const turn = openTurn(input)
  const { resume } = input
  try {
    if (resume?.phase === 'finished') return restoreOutcome(turn)
    if (resume?.chunks.some((chunk) => chunk.type === 'start') !== true) {
      turn.emit({ type: 'start', messageId: input.messageId, messageMetadata: firstMetadata(input) })
      for (const chunk of input.opening ?? []) turn.emit(chunk)
    }
    input.signal.throwIfAborted()
    if (!isCompacted(turn)) await compactIfNeeded(turn, { now: true })
    input.signal.throwIfAborted()
    emitText(
      turn,
      isCompacted(turn)
        ? 'The older part of this conversation is a summary from here on. Nothing of it is deleted.'
        : 'There is nothing to summarise yet.',
    )
    turn.finishReason = 'stop'
    return closeTurn(turn)
  } catch (error) {
    return failTurn(turn, error)
  }
}

function isCompacted({ fold }: Turn): boolean {
  return fold.snapshot().parts.some(({ type }) => type === 'data-compaction')
}

function emitText({ emit }: Turn, text: string): void {
  const id = 'said'
  emit({ type: 'text-start', id })
  emit({ type: 'text-delta', id, delta: text })
  emit({ type: 'text-end', id })
}
