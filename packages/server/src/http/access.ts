import {
  createHmac,
  createPublicKey,
  type KeyObject,
  randomBytes,
  randomUUID,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { authEndpoints, type Me, meEndpoints, NamedError, type PageCredential } from '@troupe/protocol'
import { z } from 'zod'
import { writePrivately } from '../config/home.ts'
import { local, type Principal } from './principal.ts'
import { type Ctx, implement, type Route } from './route.ts'

/**
 * Decides who may use this server. Programs send the token of the home as a bearer token. The page sends a credential
 * that it keeps in the storage of its origin, in a header: cookies would also go to every other port of this machine.
 * See docs/decisions/013-credentials-belong-to-an-origin.md.
 */
export interface Access {
  /**
   * Returns the caller. Throws unless Host and Origin are ours and, if required, the caller is the page or a program.
   */
  check(c: Ctx, route: CheckedRoute): Principal | Promise<Principal>
  /** Creates a one-time key, valid for a day. */
  newKey(): string
  /** Exchanges a key. With a public key, the page can resume after a restart. Throws `WrongKey` (401). */
  exchange(c: Ctx, given: { key: string; publicKey?: string | undefined }): PageCredential
  /** Returns a nonce for a page to sign. Valid for a minute, and only until the server restarts. */
  challenge(): string
  /** Issues a known page a credential for this server start. Throws `UnknownPage` (401). */
  resume(c: Ctx, given: { pageId: string; nonce: string; signature: string }): PageCredential
  /** True if the caller is a program with the token. */
  isProgram(c: Ctx): boolean
  /** Throws unless the caller is a program with the token. */
  checkProgram(c: Ctx): void
  /** Throws `PageOnly` (403) unless the caller is the page, so that the person asked for it. */
  checkPage(c: Ctx): void
  /** Routes that tell who is signed in, and how to sign in. */
  me(c: Ctx): Me | Promise<Me>
  /** For requests outside the app, such as a WebSocket: true only from a page of this server. */
  isOwnOrigin(headers: { host?: string | undefined; origin?: string | undefined }): boolean
}

/** Declarations of an endpoint about its callers. */
export interface CheckedRoute {
  open: boolean
  linkable: boolean
  operator?: boolean
}

const keyLife = 24 * 60 * 60 * 1000
const nonceLife = 60_000

export function createAccess(options: { token: string; hosts: ReadonlySet<string>; pages: KnownPages }): Access {
  const { token, pages } = options
  const start = randomBytes(32)
  const keys = new Map<string, number>()
  const usedNonces = new Map<string, number>()

  return {
    check(c, { open, linkable }) {
      const host = requestHost(c)
      // An absolute request target can name another host, which takes precedence.
      if (!options.hosts.has(host) || new URL(c.req.url).host !== new URL(`http://${host}`).host)
        throw new NamedError(
          'ForeignHost',
          `This server does not accept requests for the host "${host.slice(0, 100)}".`,
          {
            status: 403,
          },
        )
      const origin = c.req.header('origin')
      if (origin !== undefined && origin !== `http://${host}`)
        throw new NamedError('ForeignOrigin', 'Requests from other sites are not allowed.', { status: 403 })
      if (open || isProgram(c) || isPage(c) || (linkable && isSignedLink(c))) return local
      throw new NamedError(
        'Unauthorized',
        'The token is missing or wrong. Open the URL that "troupe" prints, or send the token from the home folder.',
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
        throw new NamedError('WrongKey', 'This key is invalid or was already used. Run "troupe" again for a new URL.', {
          status: 401,
        })
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
        throw new NamedError('UnknownPage', 'This browser is not signed in. Open the URL that "troupe" prints.', {
          status: 401,
        })
      usedNonces.set(nonce, Date.now() + nonceLife)
      return { ...credentialsOf(requestHost(c)), pageId }
    },
    isProgram,
    checkProgram(c) {
      if (!isProgram(c))
        throw new NamedError('Unauthorized', 'This needs the token from the home folder.', { status: 401 })
    },
    checkPage(c) {
      if (!isPage(c)) throw new NamedError('PageOnly', 'Only the page can do this, not a program.', { status: 403 })
    },
    me: () => localMe,
    isOwnOrigin: ({ host, origin }) => host !== undefined && options.hosts.has(host) && origin === `http://${host}`,
  }

  function derive(purpose: string): string {
    return createHmac('sha256', start).update(purpose).digest('base64url')
  }

  function credentialsOf(host: string): Pick<PageCredential, 'credential' | 'linkKey'> {
    return { credential: derive(`credential ${host}`), linkKey: derive(`links ${host}`) }
  }

  /** Stores only nonces signed by a known page, so strangers cannot exhaust memory. */
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

/** Without accounts, nobody signs in. */
const localMe: Me = { mode: 'local', needsOwner: false, person: null, linkId: null, linkKey: null, providers: [] }

function requestHost(c: Ctx): string {
  return c.req.header('host') ?? new URL(c.req.url).host
}

function equalSecrets(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Browsers admitted with a one-time key, stored by public key in the home's `pages.json`. Each keeps its private key
 * where no script can read it, and signs a nonce after a restart. Deleting the file locks all of them out.
 */
interface KnownPages {
  /** Returns the page id. Throws `BadRequest` if the key is invalid. */
  add(page: { origin: string; publicKey: string }): string
  verify(claim: { pageId: string; origin: string; text: string; signature: string }): boolean
}

const maxKnownPages = 50
const maxAbsenceMs = 90 * 24 * 60 * 60 * 1000

const pagesSchema = z.array(z.object({ id: z.string(), origin: z.string(), publicKey: z.string(), usedAt: z.number() }))
type Page = z.infer<typeof pagesSchema>[number]

export function openKnownPages(home: string): KnownPages {
  const file = path.join(home, 'pages.json')
  return {
    add({ origin, publicKey }) {
      if (readKey(publicKey) === undefined) throw new NamedError('BadRequest', 'The public key is not a P-256 key.')
      const id = randomUUID()
      write([...read(), { id, origin, publicKey, usedAt: Date.now() }])
      return id
    },
    verify({ pageId, origin, text, signature }) {
      const pages = read()
      const page = pages.find(({ id }) => id === pageId)
      const key = page?.origin === origin ? readKey(page.publicKey) : undefined
      if (page === undefined || key === undefined) return false
      const bytes = Buffer.from(signature, 'base64url')
      if (!verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes)) return false
      write([...pages.filter((one) => one !== page), { ...page, usedAt: Date.now() }])
      return true
    },
  }

  /** Oldest first. If the file is unreadable, pages just need a new key. */
  function read(): Page[] {
    try {
      const pages = pagesSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
      return pages.filter(({ usedAt }) => Date.now() - usedAt < maxAbsenceMs)
    } catch {
      return []
    }
  }

  function write(pages: Page[]): void {
    writePrivately(file, `${JSON.stringify(pages.slice(-maxKnownPages), null, 2)}\n`)
  }
}

/** Parses a P-256 key in SPKI format. */
function readKey(publicKey: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

export function meRoutes({ access }: { access: Access }): Route[] {
  return implement(meEndpoints, { 'GET /ai/me': (_, c) => access.me(c) })
}

export function authRoutes({ access }: { access: Access }): Route[] {
  return implement(authEndpoints, {
    'POST /ai/auth': ({ body }, c) => ('key' in body ? access.exchange(c, body) : access.resume(c, body)),
    'POST /ai/auth/challenge': () => ({ nonce: access.challenge() }),
    'POST /ai/auth/keys': (_, c) => {
      access.checkProgram(c)
      return { key: access.newKey() }
    },
  })
}
