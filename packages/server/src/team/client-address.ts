import { isIP } from 'node:net'
import type { Ctx } from '../http/route.ts'
import type { CheckedTeamOptions } from './options.ts'

/** Origin of a request. Forwarded headers count only from trusted proxies. */
export interface RequestSource {
  /** Of the client. Undefined if a trusted proxy does not say. */
  address: string | undefined
  host: string
  /** False if it came over plain http although the public URL is https. */
  isSecure: boolean
}

type Proxies = Pick<CheckedTeamOptions, 'isTrustedProxy' | 'secure' | 'tls'>

export function sourceOf(c: Ctx, team: Proxies): RequestSource {
  const host = c.req.header('host') ?? new URL(c.req.url).host
  const socket = c.env?.incoming?.socket
  // A call in this process.
  if (socket === undefined) return { address: undefined, host, isSecure: true }
  const peer = plainAddress(socket.remoteAddress)
  if (peer === undefined || !team.isTrustedProxy(peer))
    return { address: peer, host, isSecure: !team.secure || team.tls !== undefined }
  const proto = lastOf(c.req.header('x-forwarded-proto'))
  return {
    address: forwardedFor(c.req.header('x-forwarded-for'), team),
    host: lastOf(c.req.header('x-forwarded-host')) ?? host,
    isSecure: !team.secure || proto === undefined || proto === 'https',
  }
}

/** Each proxy appends the address it saw, so only the part after the last untrusted one can be believed. */
function forwardedFor(header: string | undefined, team: Proxies): string | undefined {
  for (const entry of (header ?? '').split(',').toReversed()) {
    const address = plainAddress(entry.trim())
    if (address === undefined) return undefined
    if (!team.isTrustedProxy(address)) return address
  }
  return undefined
}

function lastOf(header: string | undefined): string | undefined {
  return header?.split(',').at(-1)?.trim().toLowerCase()
}

function plainAddress(address: string | undefined): string | undefined {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^\[(.*)\]$/, '$1')
  return plain !== undefined && isIP(plain) !== 0 ? plain : undefined
}
