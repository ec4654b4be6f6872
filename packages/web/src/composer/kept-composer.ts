import type { KeyValueStorage } from '../api/kept.ts'
import type { DraftAttachment } from '../chat/session-state.ts'
import type { QueueStorage } from './queue.ts'

/** What was typed, attached and queued in each session, over a reload. `new`: what no session has yet. */
export interface DraftStorage {
  draft: (place: string) => { draft: string; attachments: DraftAttachment[] }
  keepDraft: (place: string, draft: string) => void
  keepAttachments: (place: string, attachments: readonly DraftAttachment[]) => void
  queue: (sessionId: string) => QueueStorage
  forget: (sessionId: string) => void
  /** Whether a draft or a queue, of whichever session, holds the file. */
  holds: (url: string) => boolean
}

const keys = { draft: 'troupe.draft.', files: 'troupe.files.', queue: 'troupe.queue.' }

export function createDraftStorage(kept: KeyValueStorage, allKeys: () => string[]): DraftStorage {
  return {
    draft: (place) => ({
      draft: kept.get(keys.draft + place) ?? '',
      attachments: parseAttachments(kept.get(keys.files + place)),
    }),
    keepDraft: (place, draft) => kept.set(keys.draft + place, draft === '' ? null : draft),
    keepAttachments(place, attachments) {
      // What is still on its way would never arrive after a reload.
      const there = attachments.flatMap(({ id, name, mediaType, size, url }) =>
        url === null ? [] : { id, name, mediaType, size, url },
      )
      kept.set(keys.files + place, there.length === 0 ? null : JSON.stringify(there))
    },
    queue: (sessionId) => {
      const key = keys.queue + sessionId
      return {
        read: () => kept.get(key),
        write: (text) => kept.set(key, text),
        watch: (listener) =>
          window.addEventListener('storage', (event) => {
            if (event.key === key || event.key === null) listener()
          }),
        now: Date.now,
        exclusive: async (work) => ('locks' in navigator ? navigator.locks.request(key, () => work()) : work()),
      }
    },
    holds: (url) =>
      allKeys()
        .filter((key) => key.startsWith(keys.files) || key.startsWith(keys.queue))
        .some((key) => kept.get(key)?.includes(url) === true),
    forget(sessionId) {
      for (const prefix of Object.values(keys)) kept.set(prefix + sessionId, null)
    },
  }
}

function parseAttachments(text: string | null): DraftAttachment[] {
  if (text === null) return []
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter(isAttachment) : []
  } catch {
    return []
  }
}

function isAttachment(value: unknown): value is DraftAttachment {
  const { id, name, mediaType, url } = (value ?? {}) as Record<string, unknown>
  return (
    [id, name, mediaType].every((field) => typeof field === 'string') && /^\/ai\/blobs\/[0-9a-f]{64}$/.test(String(url))
  )
}
