import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NamedError } from '@troupe/protocol'
import type { Ctx } from './route.ts'

/**
 * Streams the body of a request into a new file and returns its size. Throws `tooLarge` beyond `maxBytes`, `BodyCut` if
 * the client stops early, and errors of the file system as they are.
 */
export async function saveBody(
  c: Ctx,
  file: string,
  { maxBytes, mode, tooLarge }: { maxBytes: number; mode: number; tooLarge: () => NamedError },
): Promise<number> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge()
  const incoming = c.env?.incoming as IncomingMessage | undefined
  const body = incoming ?? (c.req.raw.body === null ? Readable.from([]) : Readable.fromWeb(c.req.raw.body as never))
  let size = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length
      done(size > maxBytes ? tooLarge() : null, chunk)
    },
  })
  try {
    await pipeline(body, counted, createWriteStream(file, { flags: 'wx', mode }))
  } catch (error) {
    const isLocal = (error as NodeJS.ErrnoException).syscall !== undefined
    if (error instanceof NamedError || isLocal) throw error
    throw new NamedError('BodyCut', 'The upload ended too early.', { cause: error })
  }
  return size
}
