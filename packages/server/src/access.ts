import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { NamedError } from '@troupe/core'
import type { Ctx } from './route.ts'

/** Who may speak to this server: the one secret, as a cookie for the page and as a bearer token for programs. */
export interface Access {
  /** Throws unless Host and Origin are ours and, where needed, the secret is right. */
  check(c: Ctx, options: { open: boolean }): void
  /** A key that can be exchanged for the cookie once, within a day. */
  newKey(): string
  /** The cookie for a key that was not used before. Throws `WrongKey` (401). */
  exchange(key: string): string
  /** Programs alone may do this, with the token itself. */
  checkProgram(c: Ctx): void
}

const keyLife = 24 * 60 * 60 * 1000

export function createAccess(options: { token: string; hosts(): readonly string[]; port(): number }): Access {
  const { token } = options
  // Stable over restarts, so that an open page goes on after one.
  const cookieValue = createHmac('sha256', token).update('cookie').digest('base64url')
  const keys = new Map<string, number>()

  return {
    check(c, { open }) {
      const host = c.req.header('host') ?? new URL(c.req.url).host
      if (!options.hosts().includes(host))
        throw new NamedError('ForeignHost', `This server does not answer for the host "${host.slice(0, 100)}".`, {
          status: 403,
        })
      const origin = c.req.header('origin')
      if (origin !== undefined && origin !== `http://${host}`)
        throw new NamedError('ForeignOrigin', 'Requests from other sites are refused.', { status: 403 })
      if (open) return
      if (isProgram(c)) return
      if (!hasCookie(c))
        throw new NamedError(
          'Unauthorized',
          'The secret is missing or wrong. Open the address that "troupe" prints, or send the token of the home folder.',
          { status: 401 },
        )
      if (origin === undefined && c.req.method !== 'GET' && c.req.method !== 'HEAD')
        throw new NamedError('ForeignOrigin', 'A page must say where it comes from.', { status: 403 })
    },
    newKey() {
      const key = randomBytes(24).toString('base64url')
      keys.set(key, Date.now() + keyLife)
      while (keys.size > 100) keys.delete(keys.keys().next().value as string)
      return key
    },
    exchange(key) {
      const until = keys.get(key)
      keys.delete(key)
      if (until === undefined || until < Date.now())
        throw new NamedError(
          'WrongKey',
          'This key was used already or is not ours. Run "troupe" again for a new address.',
          { status: 401 },
        )
      return `${cookieName()}=${cookieValue}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`
    },
    checkProgram(c) {
      if (!isProgram(c))
        throw new NamedError('Unauthorized', 'This needs the token of the home folder.', { status: 401 })
    },
  }

  /** Cookies do not know ports; two servers on one machine must not overwrite each other's. */
  function cookieName(): string {
    return `troupe-${options.port()}`
  }

  function isProgram(c: Ctx): boolean {
    const given = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1]
    return given !== undefined && equal(given, token)
  }

  function hasCookie(c: Ctx): boolean {
    const prefix = `${cookieName()}=`
    const cookies = (c.req.header('cookie') ?? '').split(/;\s*/)
    return cookies.some((cookie) => cookie.startsWith(prefix) && equal(cookie.slice(prefix.length), cookieValue))
  }
}

function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
