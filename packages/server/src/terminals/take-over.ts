import { newId } from '@troupe/protocol'
import type { RunManager } from '../runs/run-types.ts'

/** Tells a chat, and so its agent, that the person took over a terminal or gave it back. */
export interface TakeOverNotes {
  tell(sessionId: string, note: string): Promise<void>
  close(): void
}

const mostNotes = 10

/**
 * A live run gets the note as a message of the person, which also shows it in the chat. Without one, the next run gets
 * it at its start.
 */
export function createTakeOverNotes(runs: Pick<RunManager, 'get' | 'steer' | 'watch'>): TakeOverNotes {
  const waiting = new Map<string, { notes: string[]; stop: () => void }>()
  return {
    async tell(sessionId, note) {
      const known = waiting.get(sessionId)
      if (known !== undefined) known.notes = [...known.notes, note].slice(-mostNotes)
      else if (!(await send(sessionId, note))) wait(sessionId, note)
    },
    close() {
      for (const { stop } of waiting.values()) stop()
      waiting.clear()
    },
  }

  async function send(sessionId: string, text: string): Promise<boolean> {
    if (runs.get(sessionId) === undefined) return false
    try {
      await runs.steer(sessionId, { id: newId('msg_'), text })
      return true
    } catch {
      // The run has just ended.
      return false
    }
  }

  function wait(sessionId: string, note: string): void {
    const stop = runs.watch(sessionId, () => void deliver(sessionId))
    waiting.set(sessionId, { notes: [note], stop })
  }

  async function deliver(sessionId: string): Promise<void> {
    const known = waiting.get(sessionId)
    if (known === undefined || runs.get(sessionId) === undefined) return
    waiting.delete(sessionId)
    known.stop()
    await send(sessionId, known.notes.join('\n'))
  }
}
