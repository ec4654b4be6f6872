import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NamedError, type PublishSettings } from '@troupe/protocol'
import { type BucketRequest, type BucketSettings, openBucket } from '../../util/bucket.ts'

/** A place for published pages. */
export interface PublishPlace {
  /** Writes or replaces a page. Readers never see half of one. */
  put(name: string, html: AsyncIterable<string>): Promise<void>
  /** Does nothing if the page is gone already. */
  remove(name: string): Promise<void>
}

interface PlaceOptions {
  fetch: typeof globalThis.fetch
  redact: (text: string) => string
}

export function publishPlace({ folder, bucket }: PublishSettings, options: PlaceOptions): PublishPlace {
  if (folder !== undefined) return folderPlace(folder)
  if (bucket !== undefined) return bucketPlace(bucket, options)
  throw new NamedError('NoPublishTarget', 'Choose a folder or a bucket to publish to.', { status: 409 })
}

function folderPlace(folder: string): PublishPlace {
  return {
    async put(name, html) {
      const file = path.join(folder, name)
      const unfinished = `${file}.part`
      try {
        await mkdir(folder, { recursive: true })
        await pipeline(Readable.from(html), createWriteStream(unfinished))
        await rename(unfinished, file)
      } catch (error) {
        // The folder may not exist, and the first error says why.
        await rm(unfinished, { force: true }).catch(() => undefined)
        throw failed(`The page could not be written to ${folder}: ${(error as Error).message}.`, error)
      }
    },
    async remove(name) {
      try {
        await rm(path.join(folder, name), { force: true })
      } catch (error) {
        throw failed(`The page could not be deleted from ${folder}: ${(error as Error).message}.`, error)
      }
    },
  }
}

/** A signed upload needs its length in advance, so the page is kept in memory. */
const maxUploadBytes = 128 * 1024 * 1024
/** Short, because deleting a chat waits for it. */
const deleteTimeoutMs = 20_000

function bucketPlace(settings: BucketSettings, options: PlaceOptions): PublishPlace {
  const bucket = openBucket(settings, options)
  return {
    async put(name, html) {
      const chunks: Buffer[] = []
      let size = 0
      for await (const text of html) {
        const chunk = Buffer.from(text)
        size += chunk.length
        if (size > maxUploadBytes)
          throw failed('The page is larger than 128 MiB, which is too large for a bucket. Publish it to a folder.')
        chunks.push(chunk)
      }
      const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' }
      await send({ method: 'PUT', key: name, body: Buffer.concat(chunks), headers })
    },
    async remove(name) {
      await send({ method: 'DELETE', key: name, timeoutMs: deleteTimeoutMs })
    },
  }

  async function send(request: BucketRequest): Promise<void> {
    try {
      await (await bucket.send(request)).body?.cancel()
    } catch (error) {
      throw failed((error as Error).message, error)
    }
  }
}

function failed(message: string, cause?: unknown): NamedError {
  return new NamedError('PublishFailed', message, { status: 502, cause })
}
