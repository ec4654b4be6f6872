import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { NamedError } from '@troupe/core'
import type { KnownPages } from './known-pages.ts'
import type { Ctx } from './route.ts'

/**
 * Decides who may use this server. Programs send the token of the home as a bearer token. The page sends a credential
 * that it keeps in the storage of its origin, in a header: cookies would also go to every other port of this machine.
 * See docs/decisions/013-the-credential-belongs-to-the-origin.md.
 */
export interface Access {
  /** Throws unless Host and Origin are ours and, where needed, the caller is the page or a program. */
  check(c: Ctx, route: { open: boolean; linkable: boolean }): void
  /** A key that can be exchanged once, within a day. */
  newKey(): string
  /** Exchanges a key. With a public key, the page can resume after a restart. Throws `WrongKey` (401). */
  exchange(c: Ctx, given: { key: string; publicKey?: string | undefined }): PageCredential
  /** A nonce for a page to sign, good for a minute, at this start of the server only. */
  challenge(): string
  /** Gives a known page the credential of this start. Throws `UnknownPage` (401). */
  resume(c: Ctx, given: { pageId: string; nonce: string; signature: string }): PageCredential
  /** Throws unless the caller is a program that holds the token. */
  checkProgram(c: Ctx): void
}

/** Good at one origin, until the server ends. */
export interface PageCredential {
  /** Sent as `Authorization: Page <credential>`. */
  credential: string
  /** Signs the addresses that the browser itself asks for: images and downloads. */
  linkKey: string
  /** Null: the page gave no public key. */
  pageId: string | null
}

const keyLife = 24 * 60 * 60 * 1000
const nonceLife = 60_000

export function createAccess(options: { token: string; hosts(): readonly string[]; pages: KnownPages }): Access {
  const { token, pages } = options
  const start = randomBytes(32)
  const keys = new Map<string, number>()
  const usedNonces = new Map<string, number>()

  return {
    check(c, { open, linkable }) {
      const host = requestHost(c)
      // A request target may name a host of its own, and that one counts.
      if (!options.hosts().includes(host) || new URL(c.req.url).host !== new URL(`http://${host}`).host)
        throw new NamedError('ForeignHost', `This server does not answer for the host "${host.slice(0, 100)}".`, {
          status: 403,
        })
      const origin = c.req.header('origin')
      if (origin !== undefined && origin !== `http://${host}`)
        throw new NamedError('ForeignOrigin', 'Requests from other sites are refused.', { status: 403 })
      if (open || isProgram(c) || isPage(c) || (linkable && isSignedLink(c))) return
      throw new NamedError(
        'Unauthorized',
        'The secret is missing or wrong. Open the address that "troupe" prints, or send the token of the home folder.',
        { status: 401 },
      )
    },
    newKey() {
      const key = randomBytes(24).toString('base64url')
      keys.set(key, Date.now() + keyLife)
      while (keys.size > 100) keys.delete(keys.keys().next().value as string)
      return key
    },
    exchange(c, { key, publicKey }) {
      const until = keys.get(key)
      keys.delete(key)
      if (until === undefined || until < Date.now())
        throw new NamedError(
          'WrongKey',
          'This key was used already or is not ours. Run "troupe" again for a new address.',
          { status: 401 },
        )
      const pageId = publicKey === undefined ? null : pages.add({ origin: `http://${requestHost(c)}`, publicKey })
      return { ...credentialsOf(requestHost(c)), pageId }
    },
    challenge() {
      const body = `${Date.now()}.${randomBytes(16).toString('base64url')}`
      return `${body}.${derive(`nonce ${body}`)}`
    },
    resume(c, { pageId, nonce, signature }) {
      const origin = `http://${requestHost(c)}`
      if (!isFresh(nonce) || !pages.verify({ pageId, origin, text: `troupe page\n${origin}\n${nonce}`, signature }))
        throw new NamedError('UnknownPage', 'This browser is not known here. Open the address that "troupe" prints.', {
          status: 401,
        })
      usedNonces.set(nonce, Date.now() + nonceLife)
      return { ...credentialsOf(requestHost(c)), pageId }
    },
    checkProgram(c) {
      if (!isProgram(c))
        throw new NamedError('Unauthorized', 'This needs the token of the home folder.', { status: 401 })
    },
  }

  function derive(purpose: string): string {
    return createHmac('sha256', start).update(purpose).digest('base64url')
  }

  function credentialsOf(host: string): Pick<PageCredential, 'credential' | 'linkKey'> {
    return { credential: derive(`credential ${host}`), linkKey: derive(`links ${host}`) }
  }

  /** Only nonces that a known page signed are remembered, so strangers cannot fill the memory. */
  function isFresh(nonce: string): boolean {
    for (const [used, until] of usedNonces) if (until < Date.now()) usedNonces.delete(used)
    const [time = '', random = '', seal = ''] = nonce.split('.')
    const age = Date.now() - Number(time)
    return age <= nonceLife && equalSecrets(seal, derive(`nonce ${time}.${random}`)) && !usedNonces.has(nonce)
  }

  function isProgram(c: Ctx): boolean {
    const given = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1]
    return given !== undefined && equalSecrets(given, token)
  }

  function isPage(c: Ctx): boolean {
    const given = /^Page (.+)$/.exec(c.req.header('authorization') ?? '')?.[1]
    return given !== undefined && equalSecrets(given, credentialsOf(requestHost(c)).credential)
  }

  /** `?access=` comes last and signs everything before it. */
  function isSignedLink(c: Ctx): boolean {
    const { pathname, search } = new URL(c.req.url)
    const [, target, given] = /^(.*)[?&]access=([\w-]{43})$/.exec(pathname + search) ?? []
    if (target === undefined || given === undefined) return false
    const signature = createHmac('sha256', credentialsOf(requestHost(c)).linkKey)
      .update(target)
      .digest('base64url')
    return equalSecrets(given, signature)
  }
}

function requestHost(c: Ctx): string {
  return c.req.header('host') ?? new URL(c.req.url).host
}

function equalSecrets(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
