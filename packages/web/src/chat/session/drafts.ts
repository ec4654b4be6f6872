import { extractUrls } from '@troupe/protocol'
import type { KeyValueStorage } from '../../platform/storage.ts'
import type { QueueStorage } from './queue.ts'
import type { DraftAttachment } from './session-state.ts'

/** Persists drafts, attachments and queues per session across reloads. `new` is for unsaved sessions. */
interface DraftStorage {
  draft: (place: string) => { draft: string; attachments: DraftAttachment[] }
  saveDraft: (place: string, draft: string) => void
  saveAttachments: (place: string, attachments: readonly DraftAttachment[]) => void
  queue: (sessionId: string) => QueueStorage
  forget: (sessionId: string) => void
  /** True if a draft or queue of any session references the file. */
  holds: (url: string) => boolean
}

const keys = { draft: 'troupe.draft.', files: 'troupe.files.', queue: 'troupe.queue.' }

export function createDraftStorage(kept: KeyValueStorage, allKeys: () => string[]): DraftStorage {
  return {
    draft: (place) => ({
      draft: kept.get(keys.draft + place) ?? '',
      attachments: parseAttachments(kept.get(keys.files + place)),
    }),
    saveDraft: (place, draft) => kept.set(keys.draft + place, draft === '' ? null : draft),
    saveAttachments(place, attachments) {
      // Uploads in progress would never finish after a reload, so skip them.
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

/**
 * Tracks URLs that the user typed in this tab, or pasted alone. An agent may open exactly these without approval. URLs
 * inside pasted text, quotes or templates are untrusted.
 */
interface TypedAddressTracker {
  /** Records a user edit. `caret` is the end of the change. */
  note: (before: string, after: string, change: { inputType: string; caret: number }) => void
  in: (text: string) => string[]
}

const mostAddresses = 200
/** A keystroke, an IME composition or a deletion. */
const byHand = /^(?:insertText|insertCompositionText|insertFromComposition|insertReplacementText|delete.*)$/

export function createTypedAddresses(): TypedAddressTracker {
  const typed = new Set<string>()
  return {
    note(before, after, { inputType, caret }) {
      const known = extractUrls(before)
      const now = extractUrls(after)
      const [added, ...more] = now.filter((address) => !known.includes(address))
      if (added === undefined || more.length > 0) return
      const inserted = after.slice(caret - Math.max(0, after.length - before.length), caret).trim()
      const isAlone = extractUrls(inserted)[0] === added && !/\s/.test(inserted)
      // A URL counts as typed only if the URL it grew from was typed too.
      const changed = known.filter((address) => !now.includes(address))
      const isGrown = byHand.test(inputType) && !inserted.includes('://') && changed.every((one) => typed.has(one))
      if (!isAlone && !isGrown) return
      for (const address of changed) typed.delete(address)
      typed.add(added)
      if (typed.size > mostAddresses) typed.delete(typed.values().next().value as string)
    },
    in: (text) => extractUrls(text).filter((address) => typed.has(address)),
  }
}

export const typedAddresses = createTypedAddresses()
