import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { PassThrough, type Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

/** The body of a response, decompressed. Throws when it is larger than allowed, on the wire or after. */
export async function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const declared = Number(response.headers['content-length'])
  if (declared > maxBytes) {
    response.destroy()
    throw tooLargeError(maxBytes, declared)
  }
  const chunks: Buffer[] = []
  await pipeline(
    response,
    (source: AsyncIterable<Buffer>) => limitBytes(source, maxBytes),
    decompressor(response.headers['content-encoding']),
    async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of limitBytes(source, maxBytes)) chunks.push(chunk)
    },
    { signal },
  )
  return Buffer.concat(chunks)
}

async function* limitBytes(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw tooLargeError(maxBytes)
    yield chunk
  }
}

function decompressor(encoding = 'identity'): Duplex {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return new PassThrough()
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      return createInflate()
    case 'zstd':
      return createZstdDecompress()
    default:
      throw new Error(`The page is compressed in a way that cannot be read here (${encoding.slice(0, 50)}).`)
  }
}

function tooLargeError(maxBytes: number, size?: number): Error {
  const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(bytes < 1024 * 1024 ? 2 : 0)
  const has = size === undefined ? 'is larger' : `has ${megabytes(size)} MB, more`
  return new Error(
    `The page ${has} than the ${megabytes(maxBytes)} MB that are read. Fetch a smaller page, or download it with a command.`,
  )
}
