import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Me, NamedError, type PersonInfo, type Scope } from '@troupe/protocol'
import type { Access } from '../http/access.ts'
import { local, type Principal } from '../http/principal.ts'
import type { Ctx } from '../http/route.ts'
import type { Accounts } from './accounts.ts'
import { addressHeader, tokenPrefix } from './auth-options.ts'
import { unauthorized } from './authorize.ts'
import { sourceOf } from './client-address.ts'
import { isOperator } from './operator.ts'
import type { CheckedTeamOptions } from './options.ts'
import type { People } from './people.ts'
import type { SharingStore } from './sharing.ts'

/** The page sends it. Other sites cannot: a request with it needs our permission first, and gets none. */
export const pageHeader = 'x-troupe-page'

const safeMethods = new Set(['GET', 'HEAD'])
const deviceScopes: readonly Scope[] = ['read', 'write']

export interface TeamAccess extends Access {
  /** The person in a browser, or undefined. */
  signedIn(c: Ctx): Promise<Extract<Principal, { kind: 'person' }> | undefined>
  /** Headers of a request that better-auth handles for the caller. */
  headers(c: Ctx): Headers
  address(c: Ctx): string | undefined
  linkKey(linkId: string): string
  /** Lets calls in this process through as the local user. */
  readonly internalToken: string
}

/** Asked by machines that know only the address of a node. */
const probes = new Set(['/health', '/ready', '/metrics'])

interface TeamAccessOptions {
  team: CheckedTeamOptions
  accounts: Accounts
  people: People
  sharing: SharingStore
}

/**
 * Decides who calls in team mode: a browser by its cookie, a program by an API token or the token of a device, a reader
 * by a share link. A cookie counts only with the header of the page, and changes need the Origin of the page.
 */
export function createTeamAccess({ team, accounts, people, sharing }: TeamAccessOptions): TeamAccess {
  const internalToken = randomBytes(32).toString('base64url')
  const linkSecret = team.derive('links')

  const access: TeamAccess = {
    internalToken,
    linkKey: (linkId) => createHmac('sha256', linkSecret).update(linkId).digest('base64url'),
    address: (c) => sourceOf(c, team).address,
    async check(c, { open, linkable, operator = false }) {
      if (isInternal(c)) return local
      if (!probes.has(c.req.path)) checkSource(c)
      if (open) return { kind: 'anonymous' }
      if (operator && isOperator(c.req.header('authorization'), team.secretKey, c.req)) return local
      const principal = (await fromHeader(c)) ?? (await fromBrowser(c, linkable)) ?? (await fromSignedLink(c, linkable))
      if (principal === undefined) throw unauthorized()
      return principal
    },
    async signedIn(c) {
      const found = await accounts.fromCookie(access.headers(c))
      if (found === undefined || (found.session as { kind?: string | null }).kind === 'device') return undefined
      const person = await personOf(found.user)
      if (person === undefined) return undefined
      for (const cookie of found.cookies) c.header('set-cookie', cookie, { append: true })
      return { kind: 'person', person, signInId: found.session.id }
    },
    headers(c) {
      const headers = new Headers({ origin: team.origin, 'content-type': 'application/json' })
      for (const name of ['cookie', 'user-agent']) {
        const value = c.req.header(name)
        if (value !== undefined) headers.set(name, value.slice(0, 4096))
      }
      const address = access.address(c)
      if (address !== undefined) headers.set(addressHeader, address)
      return headers
    },
    async me(c): Promise<Me> {
      const caller = (await fromHeader(c).catch(() => undefined)) ?? (await fromBrowser(c, false))
      const needsOwner = !(await people.hasOwner())
      const providers = (team.providers ?? []).map(({ id, name }) => ({ id, name: name ?? id }))
      const base = { mode: 'team' as const, needsOwner, providers, person: null, linkId: null, linkKey: null }
      if (caller?.kind !== 'person') return base
      const { id } = caller.person
      const [user, hasPassword] = await Promise.all([accounts.user(id), accounts.hasPassword(id)])
      const secondFactor = (user as { twoFactorEnabled?: boolean | null } | null)?.twoFactorEnabled === true
      const linkId = caller.signInId === undefined ? null : `s.${caller.signInId}`
      const person = { ...caller.person, secondFactor, hasPassword }
      return { ...base, person, linkId, linkKey: linkId === null ? null : access.linkKey(linkId) }
    },
    isProgram: isInternal,
    checkProgram(c) {
      if (!isInternal(c)) throw unauthorized()
    },
    checkPage(c) {
      if (c.req.header('authorization') !== undefined)
        throw new NamedError('PageOnly', 'Only the page can do this, not a program.', { status: 403 })
    },
    // The browser sets it, and the socket also needs a ticket.
    isOwnOrigin: ({ origin }) => origin === team.origin,
    newKey: refuse,
    exchange: refuse,
    challenge: refuse,
    resume: refuse,
  }
  return access

  function checkSource(c: Ctx): void {
    const { host, isSecure } = sourceOf(c, team)
    const plain = (name: string): string => withoutDefaultPort(name, team.secure)
    // An absolute request target can name another host.
    const isPlain = plain(new URL(c.req.url).host) === plain(c.req.header('host') ?? host)
    if (!isPlain || plain(host) !== team.host)
      throw new NamedError('ForeignHost', 'This server does not accept requests for this host.', { status: 403 })
    if (!isSecure) throw new NamedError('NotSecure', `Use ${team.origin}.`, { status: 403 })
    const origin = c.req.header('origin')
    if (origin !== undefined && origin !== team.origin)
      throw new NamedError('ForeignOrigin', 'Requests from other sites are not allowed.', { status: 403 })
  }

  function isInternal(c: Ctx): boolean {
    if (c.env?.incoming !== undefined) return false
    return equal(c.req.header('authorization') ?? '', `Bearer ${internalToken}`)
  }

  /** Throws if the header names nobody, so that a wrong token is not taken for a missing one. */
  async function fromHeader(c: Ctx): Promise<Principal | undefined> {
    const header = c.req.header('authorization')
    if (header === undefined) return undefined
    const [, scheme = '', given = ''] = /^(\S{1,20}) (\S{1,500})$/.exec(header) ?? []
    const principal =
      scheme === 'Bearer' ? await fromBearer(given) : scheme === 'Share' ? await fromShare(given) : undefined
    if (principal === undefined) throw unauthorized()
    return principal
  }

  async function fromBearer(token: string): Promise<Principal | undefined> {
    if (!token.startsWith(tokenPrefix)) {
      const found = await accounts.fromDevice(token)
      const person = found && (await personOf(found.user))
      return person && { kind: 'person', person, scopes: deviceScopes, signInId: found.session.id }
    }
    const found = await accounts.fromToken(token)
    const person = found && (await personOf(found.user))
    return person && { kind: 'person', person, scopes: found.scopes }
  }

  async function fromShare(token: string): Promise<Principal | undefined> {
    const found = await sharing.linkByToken(token)
    return found && { kind: 'link', linkId: found.link.id, sessionId: found.session.id }
  }

  async function fromBrowser(c: Ctx, linkable: boolean): Promise<Principal | undefined> {
    if (c.req.header('cookie') === undefined) return undefined
    const isSafe = safeMethods.has(c.req.method)
    if (!(linkable && isSafe) && c.req.header(pageHeader) !== '1') return undefined
    if (!isSafe && c.req.header('origin') !== team.origin)
      throw new NamedError('ForeignOrigin', 'A change needs the Origin header of the page.', { status: 403 })
    return access.signedIn(c)
  }

  /** `?as=` names who signed, `?access=` comes last and signs everything before it. */
  async function fromSignedLink(c: Ctx, linkable: boolean): Promise<Principal | undefined> {
    if (!linkable || !safeMethods.has(c.req.method)) return undefined
    const { pathname, search } = new URL(c.req.url)
    const [, target = '', given = ''] = /^(.*)&access=([\w-]{43})$/.exec(pathname + search) ?? []
    const linkId = /[?&]as=([sl]\.[\w-]{1,100})$/.exec(target)?.[1]
    if (linkId === undefined) return undefined
    const signature = createHmac('sha256', access.linkKey(linkId)).update(target).digest('base64url')
    if (!equal(given, signature)) return undefined
    const id = linkId.slice(2)
    if (linkId.startsWith('l.')) {
      const found = await sharing.linkById(id)
      return found && { kind: 'link', linkId: id, sessionId: found.session.id }
    }
    const found = await accounts.signIn(id)
    const person = found && (await personOf(found.user))
    return person && { kind: 'person', person, scopes: ['read'], signInId: id }
  }

  async function personOf(user: { id: string; name: string; email: string }): Promise<PersonInfo | undefined> {
    const role = await people.role(user.id)
    return role && { id: user.id, name: user.name, email: user.email, role }
  }
}

function withoutDefaultPort(host: string, secure: boolean): string {
  return host.toLowerCase().replace(secure ? /:443$/ : /:80$/, '')
}

function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

function refuse(): never {
  throw new NamedError('NotFound', 'Not found.', { status: 404 })
}
