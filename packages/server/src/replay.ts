import type { LogEvent } from './subscriber.ts'
import type { Chunk, Message, Store, StoredMessage } from '@troupe/core'
import { eventsAfter } from './live-log.ts'
import { messageChunks } from './message-chunks.ts'

/** A finished answer as its stream: from the log of its run, or, where that is gone, from the message itself. */
export async function replayEvents(
  store: Store,
  sessionId: string,
  answer: StoredMessage,
): Promise<(LogEvent | { chunk: Chunk })[]> {
  const [run] = await store.runs.ofMessage(sessionId, answer.id)
  const frames = run === undefined ? [] : await store.frames.read(run.id)
  const events = frames.flatMap((frame) => eventsAfter(frame.items, frame.from, frame.from))
  if (events.some(({ chunk }) => chunk.type === 'finish')) return events
  return messageChunks(answer as Message).map((chunk) => ({ chunk }))
}
