import { extractUrls } from '@troupe/protocol'
import type { KeyValueStorage } from '../../platform/storage.ts'
import type { QueueStorage } from './queue.ts'
import type { DraftAttachment } from './session-state.ts'

/** What was typed, attached and queued in each session, over a reload. `new`: what no session has yet. */
interface DraftStorage {
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

/**
 * Addresses that the person typed in this tab, or pasted alone, as one copies an address: an agent may open exactly
 * these unasked. Those that came with a pasted text, a quotation or a template are words of others.
 */
interface TypedAddressTracker {
  /** A field has changed by the person's hand. `caret`: where the change ends. */
  note: (before: string, after: string, change: { inputType: string; caret: number }) => void
  /** Those of a message. */
  in: (text: string) => string[]
}

const mostAddresses = 200
/** One key, one word of a method of input, or a piece that was taken away. */
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
      // What an address grew from must have been typed itself.
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

/** Those of this tab. */
export const typedAddresses = createTypedAddresses()
