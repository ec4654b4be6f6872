import type { StoredMessage } from '@troupe/core'
import type { Tables } from './tables.ts'

/** A message's own columns. JSON text is well-formed Unicode without U+0000 whatever the message holds. */
export function messageColumns(message: StoredMessage) {
  return {
    id: message.id,
    parent_id: message.parentMessageId ?? '',
    role: message.role,
    created_at: message.createdAt,
    metadata: metadataText(message.metadata),
    parts: JSON.stringify(message.parts),
  }
}

export function toStoredMessage(row: Tables['message']): StoredMessage {
  return {
    id: row.id,
    parentMessageId: row.parent_id === '' ? null : row.parent_id,
    role: row.role as StoredMessage['role'],
    parts: JSON.parse(row.parts) as StoredMessage['parts'],
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as NonNullable<StoredMessage['metadata']> }),
    createdAt: row.created_at,
  }
}

export function metadataText(metadata: StoredMessage['metadata']): string | null {
  return metadata === undefined ? null : JSON.stringify(metadata)
}
