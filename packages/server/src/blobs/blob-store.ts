import type { Blobs } from '@troupe/core'

type StoredBlob = Awaited<ReturnType<Blobs['put']>>

/** Blob storage of a server. One contract test covers every implementation. */
export interface BlobStore extends Blobs {
  /** Like `put`, for bytes that may not fit in memory. Existing bytes keep their media type. */
  putStream(bytes: AsyncIterable<Uint8Array>, mediaType: string): Promise<StoredBlob>
  /** Opens a blob without reading it. */
  open(sha256: string): Promise<OpenBlob | undefined>
  /** The hashes of all blobs, in any order. */
  list(): AsyncIterable<string>
  remove(sha256: string): Promise<boolean>
}

interface OpenBlob {
  size: number
  mediaType: string
  /** Reads all bytes, or those from `start` to `end`, both included. */
  read(range?: { start: number; end: number }): AsyncIterable<Uint8Array>
}

export const unknownType = 'application/octet-stream'

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

/** Returns a media type that can be a header. */
export function cleanType(mediaType: string): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}(;[\x20-\x7e]{0,200})?$/.test(mediaType) ? mediaType : unknownType
}
