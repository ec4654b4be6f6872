import { createHmac, timingSafeEqual } from 'node:crypto'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { NamedError } from '@troupe/protocol'
import type { Principal } from '../http/principal.ts'
import type { Ctx } from '../http/route.ts'
import type { NodeInfo } from './nodes.ts'
import { notHere } from '../runs/not-here.ts'

/** Sends requests to the node that must answer them. */
export interface Forwarder {
  /** Throws `NodeUnreachable` (503). `sent` says if the node may have seen the request. */
  send(c: Ctx, node: NodeInfo, request: ForwardedRequest): Promise<Response>
  /**
   * The caller that another node has already checked, if the request comes from one. Throws `Unauthorized` (401), or
   * `NotHere` (421) if it was meant for another process.
   */
  principalOf(c: Ctx, self: string): Principal | undefined
  close(): void
}

interface ForwardedRequest {
  principal: Principal
  body: unknown
  /** Added to those of the client. */
  headers: Record<string, string>
}

const authorizationScheme = 'Node '
/** Headers that belong to one connection, or that the other node would check again. */
const ownHeaders = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'authorization',
  'cookie',
  'origin',
  'content-length',
  'x-troupe-from-page',
])

/** Failures before a connection is made. */
const unsentCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

/** `secret` is the same on all nodes. */
export function createForwarder(secret: string): Forwarder {
  const key = createHmac('sha256', secret).update('troupe node requests').digest()
  const agent = new Agent({ keepAlive: true, maxSockets: 512 })
  const secureAgent = new SecureAgent({ keepAlive: true, maxSockets: 512 })

  return {
    async send(c, node, { principal, body, headers: added }) {
      const { pathname, search } = new URL(c.req.url)
      const claim = Buffer.from(JSON.stringify(principal)).toString('base64url')
      const seal = sign(node.id, c.req.method, pathname + search, claim)
      const headers: Record<string, string> = {
        ...added,
        authorization: `${authorizationScheme}${node.id}.${claim}.${seal}`,
      }
      for (const [name, value] of c.req.raw.headers)
        if (!ownHeaders.has(name) && !(name in added)) headers[name] = value
      const payload = payloadOf(body)
      if (payload !== undefined) headers['content-length'] = String(payload.byteLength)
      const answer = await exchange(node, c, { path: pathname + search, headers, payload })
      return toWebResponse(answer)
    },
    principalOf(c, self) {
      const given = c.req.header('authorization')
      if (given?.startsWith(authorizationScheme) !== true) return undefined
      const [target = '', claim = '', seal = ''] = given.slice(authorizationScheme.length).split('.')
      const { pathname, search } = new URL(c.req.url)
      if (!isEqual(seal, sign(target, c.req.method, pathname + search, claim)))
        throw new NamedError('Unauthorized', 'This request does not come from a node of the cluster.', { status: 401 })
      // It joined again under another id, or took over the address of another.
      if (target !== self) throw notHere()
      return JSON.parse(Buffer.from(claim, 'base64url').toString()) as Principal
    },
    close() {
      agent.destroy()
      secureAgent.destroy()
    },
  }

  /** The id of a node is new with every start, so a request is good for one process only. */
  function sign(nodeId: string, method: string, target: string, claim: string): string {
    return createHmac('sha256', key).update([nodeId, method, target, claim].join('\n')).digest('base64url')
  }

  function exchange(
    node: NodeInfo,
    c: Ctx,
    { path, headers, payload }: { path: string; headers: Record<string, string>; payload: Buffer | undefined },
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const url = new URL(path, node.url)
    const options = { method: c.req.method, headers }
    const outgoing =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: secureAgent })
        : httpRequest(url, { ...options, agent })
    outgoing.on('response', resolve)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const sent = !unsentCodes.has(error.code ?? '')
      const advice = sent
        ? 'It may have carried the request out. Check that before you try again.'
        : 'Nothing was changed. Try again in a moment.'
      const message = `The server that has this chat or folder does not answer. ${advice}`
      reject(new NamedError('NodeUnreachable', message, { status: 503, data: { sent }, cause: error }))
    })
    const { signal } = c.req.raw
    const stop = (): void => void outgoing.destroy()
    signal.addEventListener('abort', stop, { once: true })
    outgoing.on('close', () => signal.removeEventListener('abort', stop))
    if (payload !== undefined) outgoing.end(payload)
    // The stream of an earlier attempt is used up. Only uploads have one that matters, and they are not repeated.
    else if (c.req.raw.body === null || c.req.raw.body.locked || c.req.method === 'GET') outgoing.end()
    else Readable.fromWeb(c.req.raw.body as Parameters<typeof Readable.fromWeb>[0]).pipe(outgoing)
    return promise
  }
}

function payloadOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body))
}

function toWebResponse(answer: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    if (!ownHeaders.has(name) && value !== undefined) headers.set(name, [value].flat().join(', '))
  const status = answer.statusCode ?? 502
  const hasBody = status !== 204 && status !== 304
  if (!hasBody) answer.resume()
  return new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream) : null, { status, headers })
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
