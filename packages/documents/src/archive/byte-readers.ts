import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { pipeline } from 'node:stream'
import type { DocumentSource } from '../reader.ts'
import type { ByteReader } from './tar.ts'

export function fileBytes(source: DocumentSource): ByteReader {
  let at = 0
  return {
    async take(length) {
      const bytes = await source.bytesAt(at, length)
      at += length
      return bytes
    },
    skip(length) {
      at += length
      return Promise.resolve()
    },
  }
}

/** Unpacked bytes of a gzip file. Nothing is kept, so a bomb takes time until the limit and no memory. */
export function unpackedBytes(source: DocumentSource, most: number): ByteReader & { close(): void } {
  const stream = pipeline(createReadStream(source.path), createGunzip(), () => undefined)
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  let rest: Buffer = Buffer.alloc(0)
  let total = 0
  const more = async (): Promise<boolean> => {
    if (total > most) return false
    const next = await chunks.next()
    if (next.done === true) return false
    total += next.value.length
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value])
    return true
  }
  return {
    async take(length) {
      while (rest.length < length && (await more()));
      const bytes = rest.subarray(0, length)
      rest = rest.subarray(bytes.length)
      return bytes
    },
    async skip(length) {
      let left = length
      while (left > rest.length) {
        left -= rest.length
        rest = Buffer.alloc(0)
        if (!(await more())) return
      }
      rest = rest.subarray(left)
    },
    close: () => stream.destroy(),
  }
}
