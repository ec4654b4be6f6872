import type { SiblingPlace } from '@troupe/core'

/** Where a message stands among its siblings, 1-based; `prev` and `next` are their ids, null where there is none. */
export interface MessagePlace extends SiblingPlace {
  messageId: string
}

/** In the order of the messages. Those that the server has not stored yet have none. */
export function messagePlaces(
  messages: readonly { id: string }[],
  siblings: Readonly<Record<string, SiblingPlace>>,
): MessagePlace[] {
  return messages.flatMap(({ id: messageId }) => {
    const place = siblings[messageId]
    return place === undefined ? [] : [{ messageId, ...place }]
  })
}
