import { accountEndpoints, type ApiToken, NamedError } from '@troupe/protocol'
import type { Principal } from '../http/principal.ts'
import { type Ctx, implement, type Route } from '../http/route.ts'
import { type Accounts, scopesOf, type StoredToken } from './accounts.ts'
import { forbidden } from './authorize.ts'
import type { Forward, Forwarded } from './forward.ts'
import type { Limits } from './limits.ts'
import { type SignInServices, startProvider } from './sign-in-routes.ts'
import type { TeamAccess } from './team-access.ts'

interface AccountServices extends SignInServices {
  accounts: Accounts
  access: TeamAccess
  limits: Limits
  forward: Forward
  /** Ends open streams of people who may no longer read them. */
  recheck(): Promise<void>
}

/** The caller's own account. Only for a person in a browser. */
export function accountRoutes(services: AccountServices): Route[] {
  const { accounts, access, limits, forward, recheck } = services

  /** Wrong passwords and codes count like those of a sign-in. */
  async function guarded(c: Ctx, principal: Principal, path: string, body: unknown): Promise<Forwarded> {
    const { email } = caller(principal)
    await limits.count({ address: access.address(c), account: email })
    const answer = await forward(c, path, body)
    if (answer.ok) await limits.forgive(email)
    return answer
  }

  async function withPassword(c: Ctx, principal: Principal, path: string, body: unknown): Promise<Forwarded> {
    const answer = await guarded(c, principal, path, body)
    if (!answer.ok) throw new NamedError('WrongPassword', 'The password is wrong.', { status: 403 })
    return answer
  }

  return implement(accountEndpoints, {
    'PATCH /ai/account': async ({ principal, body: { name } }) => {
      await accounts.rename(caller(principal).id, name)
      return { person: { ...caller(principal), name } }
    },
    'POST /ai/account/password': async ({ principal, body: { current, next } }, c) => {
      const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true }
      await withPassword(c, principal, '/change-password', body)
      await recheck()
      return undefined
    },
    'POST /ai/account/providers': async ({ body: { provider } }, c) => ({
      url: await startProvider(c, { services, provider, path: '/link-social' }),
    }),
    'POST /ai/account/totp': async ({ principal, body }, c) => {
      const made = (await withPassword(c, principal, '/two-factor/enable', body)).body
      return { uri: String(made['totpURI']), backupCodes: made['backupCodes'] as string[] }
    },
    'POST /ai/account/totp/confirm': async ({ principal, body }, c) => {
      const { ok } = await guarded(c, principal, '/two-factor/verify-totp', body)
      if (!ok) throw new NamedError('WrongCode', 'The code is wrong.', { status: 403 })
      return undefined
    },
    'POST /ai/account/totp/remove': async ({ principal, body }, c) => {
      await withPassword(c, principal, '/two-factor/disable', body)
      return undefined
    },
    'POST /ai/account/backup-codes': async ({ principal, body }, c) => {
      const made = await withPassword(c, principal, '/two-factor/generate-backup-codes', body)
      return { backupCodes: made.body['backupCodes'] as string[] }
    },
    'GET /ai/account/passkeys': async ({ principal }) => {
      const passkeys = await accounts.passkeys(caller(principal).id)
      return { passkeys: passkeys.map(shownPasskey) }
    },
    'POST /ai/account/passkeys/options': async (_, c) => {
      const { ok, body } = await forward(c, '/passkey/generate-register-options', undefined, 'GET')
      if (!ok) throw signInAgain()
      return { options: body }
    },
    'POST /ai/account/passkeys': async ({ body }, c) => {
      const answer = await forward(c, '/passkey/verify-registration', body)
      if (answer.body['code'] === 'SESSION_NOT_FRESH') throw signInAgain()
      if (!answer.ok) throw new NamedError('PasskeyRefused', 'The passkey could not be added.', { status: 403 })
      return { passkey: shownPasskey(answer.body as unknown as StoredPasskey) }
    },
    'DELETE /ai/account/passkeys/:id': async ({ principal, params: { id } }) => {
      if (!(await accounts.deletePasskey(caller(principal).id, id)))
        throw new NamedError('PasskeyNotFound', 'This passkey does not exist.', { status: 404 })
      return { deleted: id }
    },
    'GET /ai/account/sessions': async ({ principal }) => {
      const sessions = await accounts.sessions(caller(principal).id)
      return {
        sessions: sessions.map((one) => ({
          id: one.id,
          current: one.id === signInId(principal),
          kind: one.kind === 'device' ? ('device' as const) : ('browser' as const),
          userAgent: one.userAgent || null,
          address: one.ipAddress || null,
          createdAt: new Date(one.createdAt).getTime(),
          expiresAt: new Date(one.expiresAt).getTime(),
        })),
      }
    },
    'DELETE /ai/account/sessions/:id': async ({ principal, params: { id } }) => {
      const { id: own } = caller(principal)
      const ended = await accounts.endSessions(own, id === 'others' ? { allBut: signInId(principal) } : { id })
      if (ended === 0 && id !== 'others')
        throw new NamedError('AccountSessionNotFound', 'This session has already ended.', { status: 404 })
      await recheck()
      return { ended }
    },
    'GET /ai/account/tokens': async ({ principal }) => ({
      tokens: (await accounts.tokens(caller(principal).id)).map(shownToken),
    }),
    'POST /ai/account/tokens': async ({ principal, body: { name, scopes, expiresInDays } }) => {
      const { id, role } = caller(principal)
      if (scopes.includes('admin') && role !== 'owner' && role !== 'admin')
        throw forbidden('Only owners and admins can make a token with the scope "admin".')
      if (scopes.includes('write') && role === 'viewer') throw forbidden('Viewers can only make tokens that read.')
      const made = await accounts.createToken(id, { name, scopes: [...new Set(scopes)], days: expiresInDays })
      return { token: shownToken(made.token), secret: made.secret }
    },
    'DELETE /ai/account/tokens/:id': async ({ principal, params: { id } }) => {
      if (!(await accounts.deleteToken(caller(principal).id, id)))
        throw new NamedError('TokenNotFound', 'This token does not exist.', { status: 404 })
      await recheck()
      return { deleted: id }
    },
  })
}

interface StoredPasskey {
  id: string
  name?: string | null
  createdAt?: Date | string | null
}

function shownPasskey({ id, name, createdAt }: StoredPasskey) {
  return { id, name: name ?? '', createdAt: createdAt == null ? null : new Date(createdAt).getTime() }
}

function shownToken(token: StoredToken): ApiToken {
  const time = (date: Date | null): number | null => (date === null ? null : new Date(date).getTime())
  return {
    id: token.id,
    name: token.name ?? '',
    start: token.start ?? '',
    scopes: scopesOf(token),
    createdAt: new Date(token.createdAt).getTime(),
    expiresAt: time(token.expiresAt),
    usedAt: time(token.lastRequest),
  }
}

/** The person who calls. The endpoint declares that there is one. */
export function caller(principal: Principal): Extract<Principal, { kind: 'person' }>['person'] {
  if (principal.kind !== 'person') throw forbidden('This needs an account.')
  return principal.person
}

function signInId(principal: Principal): string | null {
  return principal.kind === 'person' ? (principal.signInId ?? null) : null
}

function signInAgain(): NamedError {
  return new NamedError('SignInAgain', 'Sign in again to do this. Your last sign-in was too long ago.', { status: 403 })
}
