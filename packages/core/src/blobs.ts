/** Bytes by their SHA-256. History holds hashes, never base64. */
export interface Blobs {
  put(bytes: Uint8Array, mediaType: string): Promise<{ sha256: string; size: number; mediaType: string }>
  get(sha256: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>
}
