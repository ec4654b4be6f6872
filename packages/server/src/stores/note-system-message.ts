import type { Part, StoredMessage } from '@troupe/core'

type MessageContent = Pick<StoredMessage, 'role' | 'parts'>

/**
 * Instructions that come with an import are nobody's here, for anybody can write such a file: they are shown as a note
 * in the conversation, and no model is told them.
 */
export function noteSystemMessage<T extends MessageContent>(message: T): T {
  if (message.role !== 'system') return message
  const said = message.parts.flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []))
  const text =
    said.length === 0
      ? 'The imported conversation had instructions without words here.'
      : `The imported conversation had instructions here, which are not followed:\n\n${said.join('\n\n')}`
  const note: Part = { type: 'data-hint', data: { text } }
  return { ...message, role: 'assistant', parts: [note] }
}
