import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NamedError, type PublishSettings } from '@troupe/protocol'

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
const uploadTimeoutMs = 120_000
/** Short, because deleting a chat waits for it. */
const deleteTimeoutMs = 20_000

type Bucket = NonNullable<PublishSettings['bucket']>

function bucketPlace(settings: Bucket, { fetch, redact }: PlaceOptions): PublishPlace {
  const { endpoint, bucket, prefix = '', region, accessKeyId, secretAccessKey } = settings
  const keyOf = (name: string): string => `${prefix}${name}`
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
      await send('PUT', name, {
        body: Buffer.concat(chunks),
        headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
      })
    },
    async remove(name) {
      await send('DELETE', name, {})
    },
  }

  async function send(method: string, name: string, init: RequestInit): Promise<void> {
    const { AwsClient } = await import('aws4fetch')
    const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
    const key = [bucket, ...keyOf(name).split('/')].map(encodeURIComponent).join('/')
    const url = `${endpoint.replace(/\/+$/, '')}/${key}`
    let response: Response
    try {
      const signed = await client.sign(url, { ...init, method })
      response = await fetch(signed, {
        signal: AbortSignal.timeout(method === 'DELETE' ? deleteTimeoutMs : uploadTimeoutMs),
        redirect: 'error',
      })
    } catch (error) {
      const { cause } = error as { cause?: unknown }
      const reason = cause instanceof Error ? cause.message : (error as Error).message
      throw failed(`${new URL(endpoint).host} could not be reached: ${reason}.`, error)
    }
    const text = await response.text()
    if (response.ok || (method === 'DELETE' && response.status === 404)) return
    const reason = redact(`${response.status}${reasonIn(text)}`)
    throw failed(`${bucket} refused the request: ${reason}.`)
  }
}

/** The code and message of an S3 error document. */
function reasonIn(xml: string): string {
  const read = (tag: string): string => new RegExp(`<${tag}>([^<]{1,300})</${tag}>`).exec(xml)?.[1] ?? ''
  const said = [read('Code'), read('Message').replace(/\.$/, '')].filter((text) => text !== '')
  return said.length === 0 ? '' : ` ${said.join(', ')}`
}

function failed(message: string, cause?: unknown): NamedError {
  return new NamedError('PublishFailed', message, { status: 502, cause })
}
