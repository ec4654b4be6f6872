import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { BucketSettings } from '../../util/bucket.ts'

/** S3 in memory, for one bucket. Checks the signature of every request and the hash of its body, as S3 does. */
export async function startS3Server(): Promise<{ settings: BucketSettings; close(): Promise<void> }> {
  const objects = new Map<string, { bytes: Buffer; type: string }>()
  const key = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret', region: 'eu-central-1' }
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    settings: { endpoint: `http://127.0.0.1:${port}`, bucket: 'files', prefix: 'team/', ...key },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://s3')
    const bytes = await buffer(request)
    const refusal = checkSignature(request, url, bytes, key)
    if (refusal !== undefined)
      return void response.writeHead(403).end(`<Error><Code>${refusal}</Code><Message>no.</Message></Error>`)
    const name = decodeURIComponent(url.pathname).replace('/files/', '')
    if (url.searchParams.get('list-type') === '2') return void response.end(list(url))
    if (request.method === 'PUT') {
      objects.set(name, { bytes, type: request.headers['content-type'] ?? '' })
      return void response.end()
    }
    const found = objects.get(name)
    if (request.method === 'DELETE') return void response.writeHead(objects.delete(name) ? 204 : 404).end()
    if (found === undefined) return void response.writeHead(404).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const part = from === undefined ? found.bytes : found.bytes.subarray(Number(from), Number(to) + 1)
    response.writeHead(from === undefined ? 200 : 206, { 'content-type': found.type, 'content-length': part.length })
    response.end(request.method === 'HEAD' ? undefined : part)
  }

  /** Two at a time, so that a client must ask again. */
  function list(url: URL): string {
    const prefix = url.searchParams.get('prefix') ?? ''
    const after = url.searchParams.get('continuation-token') ?? ''
    const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after).toSorted()
    const page = names.slice(0, 2)
    const next = names.length > 2 ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return `<ListBucketResult>${page.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('')}${next}</ListBucketResult>`
  }
}

/** Signature Version 4, from its specification. Returns an error code if it is wrong. */
function checkSignature(
  { method, headers }: IncomingMessage,
  url: URL,
  bytes: Buffer,
  key: { accessKeyId: string; secretAccessKey: string; region: string },
): string | undefined {
  const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
  const hmac = (secret: string | Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest()
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, id, day = '', region = '', signed = '', signature] = given.exec(headers.authorization ?? '') ?? []
  if (id !== key.accessKeyId || region !== key.region) return 'InvalidAccessKeyId'
  const hash = String(headers['x-amz-content-sha256'])
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(bytes)) return 'XAmzContentSHA256Mismatch'
  const time = String(headers['x-amz-date'])
  if (!time.startsWith(day)) return 'AccessDenied'
  const query = [...url.searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).toSorted()
  const canonical = [
    method,
    url.pathname,
    query.join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    hash,
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join('\n')
  const own = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`)
  const isSigned = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.split(';').includes(name))
  return isSigned && hmac(own, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}
