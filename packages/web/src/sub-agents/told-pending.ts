import type { StoredMessage } from '@troupe/core/protocol'
import { messageText } from '../chat/session-state.ts'

/** Something that an agent was told: its text, and the last thing that it had been told by then. */
export interface SentMessage {
  id: string
  text: string
  after: string | null
}

/** What an agent was told, in order: whole messages, and what came while it worked. */
export function deliveredMessages(
  messages: readonly Pick<StoredMessage, 'id' | 'role' | 'parts'>[],
): Pick<SentMessage, 'id' | 'text'>[] {
  return messages.flatMap((message) =>
    message.role === 'user'
      ? { id: message.id, text: messageText(message) }
      : message.parts.flatMap((part) =>
          part.type === 'steering-message'
            ? { id: part.id, text: messageText(part as Pick<StoredMessage, 'parts'>) }
            : [],
        ),
  )
}

/** Of what it was told, what its conversation does not show yet. Ids do not help: the server gives others. */
export function undeliveredMessages(
  told: readonly SentMessage[],
  heard: readonly Pick<SentMessage, 'id' | 'text'>[],
): SentMessage[] {
  const taken = new Set<string>()
  return told.filter(({ text, after }) => {
    const from = heard.findIndex(({ id }) => id === after) + 1
    const found = heard.slice(from).find((one) => one.text === text && !taken.has(one.id))
    if (found !== undefined) taken.add(found.id)
    return found === undefined
  })
}
