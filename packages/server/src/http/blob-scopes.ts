import type { Blobs } from '@troupe/core'
import type { Principal } from './principal.ts'

/**
 * Blobs by who may read them. A hash that somebody merely knows opens nothing: a caller reads what they uploaded and
 * what their chats contain, a run what its chat contains.
 */
export interface BlobScopes {
  of(principal: Principal): Blobs
  session(sessionId: string): Blobs
  /** Adds blobs to a chat, such as attachments, after they were read through the scope of the sender. */
  attach(sessionId: string, hashes: readonly string[]): Promise<void>
  /** Adds the blobs of one chat to another. */
  copy(from: string, to: string): Promise<void>
}

/** Without accounts, everything belongs to the one user. */
export function openBlobScopes(blobs: Blobs): BlobScopes {
  return { of: () => blobs, session: () => blobs, attach: () => Promise.resolve(), copy: () => Promise.resolve() }
}
