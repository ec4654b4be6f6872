/** Bytes by their SHA-256. History holds hashes, never base64. */
export interface Blobs {
  put(bytes: Uint8Array, mediaType: string): Promise<{ sha256: string; size: number; mediaType: string }>
  get(sha256: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>
  /** False when there was none. Whether it is still needed is the caller's matter. */
  remove?(sha256: string): Promise<boolean>
}
