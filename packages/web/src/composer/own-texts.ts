import type { StoredMessage } from '@troupe/core/protocol'
import { messageText } from '../chat/session-state.ts'

/** What the person has written in this branch, newest first, each text once. */
export function sentTexts(messages: readonly StoredMessage[]): string[] {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => messageText(message))
  return [...new Set(texts.filter((text) => text.trim() !== '').toReversed())]
}
