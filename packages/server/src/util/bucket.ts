import { NamedError, type PublishSettings } from '@troupe/protocol'

export type BucketSettings = NonNullable<PublishSettings['bucket']>

export interface BucketRequest {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array | Blob
  timeoutMs?: number
}

export interface Bucket {
  /** Before every key. */
  prefix: string
  /** Returns the response, also of a missing object (404). Throws `BucketFailed` (502) for every other failure. */
  send(request: BucketRequest): Promise<Response>
}

interface BucketOptions {
  fetch?: typeof globalThis.fetch
  redact?: (text: string) => string
}

const defaultTimeoutMs = 120_000

/** Signed requests to S3-compatible storage. */
export function openBucket(settings: BucketSettings, { fetch = globalThis.fetch, redact }: BucketOptions = {}): Bucket {
  const { endpoint, bucket, prefix = '', region, accessKeyId, secretAccessKey } = settings
  return {
    prefix,
    async send({ method, key, query = {}, headers, body, timeoutMs = defaultTimeoutMs }) {
      const { AwsClient } = await import('aws4fetch')
      const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
      const path = [bucket, ...(key === '' ? [] : `${prefix}${key}`.split('/'))].map(encodeURIComponent).join('/')
      const url = new URL(`${endpoint.replace(/\/+$/, '')}/${path}`)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      let response: Response
      try {
        // Signed without the body, which may be a file: its hash is among the headers.
        const signed = await client.sign(url.href, { method, headers })
        response = await fetch(signed, {
          body,
          signal: AbortSignal.timeout(timeoutMs),
          redirect: 'error',
        } as RequestInit)
      } catch (error) {
        const { cause } = error as { cause?: unknown }
        const reason = cause instanceof Error ? cause.message : (error as Error).message
        throw failed(`${new URL(endpoint).host} could not be reached: ${reason}.`, error)
      }
      if (response.ok || (response.status === 404 && method !== 'PUT')) return response
      const reason = `${response.status}${reasonIn(await response.text())}`
      throw failed(`${bucket} refused the request: ${redact?.(reason) ?? reason}.`)
    },
  }
}

/** The code and message of an S3 error document. */
function reasonIn(xml: string): string {
  const read = (tag: string): string => new RegExp(`<${tag}>([^<]{1,300})</${tag}>`).exec(xml)?.[1] ?? ''
  const said = [read('Code'), read('Message').replace(/\.$/, '')].filter((text) => text !== '')
  return said.length === 0 ? '' : ` ${said.join(', ')}`
}

function failed(message: string, cause?: unknown): NamedError {
  return new NamedError('BucketFailed', message, { status: 502, cause })
}
