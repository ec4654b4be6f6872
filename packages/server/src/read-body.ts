import type { IncomingMessage } from 'node:http'
import { NamedError } from '@troupe/core'
import type { Ctx } from './route.ts'

export const bodyBytes = 32 * 1024 * 1024

/**
 * The bytes of a body, as far as they are allowed. On a socket they are read from Node's own request: a web request and
 * its streams would live as long as the answer, which may be a stream that waits for a person.
 */
export async function readBody(c: Ctx, limit = bodyBytes): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw bodyTooLarge(limit)
  const incoming = c.env?.incoming as IncomingMessage | undefined
  const bytes = incoming === undefined ? Buffer.from(await c.req.arrayBuffer()) : await collect(incoming, limit)
  if (bytes.length > limit) throw bodyTooLarge(limit)
  return bytes
}

function collect(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else done(() => reject(bodyTooLarge(limit)))
    }
    const onEnd = (): void => done(() => resolve(Buffer.concat(chunks)))
    const onClose = (): void => done(() => reject(new NamedError('BodyCut', 'The body ended too early.')))
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)

    function done(settle: () => void): void {
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
      settle()
    }
  })
}

function bodyTooLarge(limit: number): NamedError {
  const most = limit < 1024 * 1024 ? `${limit} bytes` : `${limit / 1024 / 1024} MiB`
  return new NamedError('BodyTooLarge', `A body holds at most ${most}.`, { status: 413 })
}
