import { deviceEndpoints, NamedError, type Role, signInEndpoints } from '@troupe/protocol'
import { type Ctx, implement, Reply, type Route } from '../http/route.ts'
import type { Accounts } from './accounts.ts'
import { deviceClientId } from './auth-options.ts'
import { type Forward, linkInvalid, signInFailed } from './forward.ts'
import type { Limits } from './limits.ts'
import type { CheckedTeamOptions } from './options.ts'
import type { People } from './people.ts'
import type { TeamAccess } from './team-access.ts'

export interface SignInServices {
  team: CheckedTeamOptions
  accounts: Accounts
  people: People
  access: TeamAccess
  limits: Limits
  forward: Forward
  /** Called once, when the first owner exists. */
  onOwner(): Promise<void>
}

export function signInRoutes(services: SignInServices): Route[] {
  const { team, accounts, people, access, limits, forward } = services
  const attempt = (c: Ctx, account?: string): Promise<void> =>
    limits.count({ address: access.address(c), ...(account !== undefined && { account }) })

  return implement(signInEndpoints, {
    'POST /ai/account/setup': async ({ body: { token, ...person } }, c) => {
      await attempt(c)
      const invitation = await people.invitation(token)
      if (invitation === undefined || invitation.email !== '') throw linkInvalid()
      await signUp(c, invitation.id, person)
      await services.onOwner()
      return { status: 'signed-in' as const }
    },
    'POST /ai/account/sign-in': async ({ body: { email, password } }, c) => {
      await attempt(c, email)
      const { ok, body } = await forward(c, '/sign-in/email', { email, password })
      if (!ok) throw signInFailed()
      // With a second factor, wrong codes still count.
      if (body['twoFactorRedirect'] === true) return { status: 'second-factor' as const }
      await limits.forgive(email)
      return { status: 'signed-in' as const }
    },
    'POST /ai/account/second-factor': async ({ body: { code, kind } }, c) => {
      await attempt(c)
      const path = kind === 'totp' ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code'
      const { ok } = await forward(c, path, { code })
      if (!ok) throw signInFailed('The code is wrong, or the sign-in has expired.')
      return { status: 'signed-in' as const }
    },
    'POST /ai/account/passkey-options': async (_, c) => {
      await attempt(c)
      return { options: (await forward(c, '/passkey/generate-authenticate-options', undefined, 'GET')).body }
    },
    'POST /ai/account/passkey': async ({ body }, c) => {
      await attempt(c)
      const { ok } = await forward(c, '/passkey/verify-authentication', body)
      if (!ok) throw signInFailed('This passkey is not known here.')
      return { status: 'signed-in' as const }
    },
    'POST /ai/account/provider': async ({ body: { provider } }, c) => {
      await attempt(c)
      return { url: await startProvider(c, { services, provider, path: '/sign-in/social' }) }
    },
    'GET /ai/account/callback/:provider': async ({ params: { provider } }, c) => {
      await attempt(c)
      const { search } = new URL(c.req.url)
      const path = `/callback/${encodeURIComponent(provider)}${search}`
      const { location } = await forward(c, path, undefined, 'GET')
      const error = location === null ? 'failed' : new URL(location, team.origin).searchParams.get('error')
      // Only to our own page. What went wrong is in the fragment, which no server and no referrer gets.
      return c.redirect(
        error === null
          ? `${team.origin}/`
          : `${team.origin}/#sign-in-failed=${encodeURIComponent(error.slice(0, 100))}`,
      )
    },
    'POST /ai/account/invitation': async ({ body: { token } }, c) => {
      await attempt(c)
      const invitation = await people.invitation(token)
      if (invitation === undefined || invitation.email === '') throw linkInvalid()
      return { email: invitation.email, role: invitation.role as Role, expiresAt: invitation.expires_at }
    },
    'POST /ai/account/join': async ({ body: { token, name, password } }, c) => {
      await attempt(c)
      const invitation = await people.invitation(token)
      if (invitation === undefined || invitation.email === '') throw linkInvalid()
      await signUp(c, invitation.id, { name, password, email: invitation.email })
      return { status: 'signed-in' as const }
    },
    'POST /ai/account/sign-out': async ({ principal }, c) => {
      if (principal.kind === 'person' && principal.signInId !== undefined)
        await accounts.endSessions(principal.person.id, { id: principal.signInId })
      await forward(c, '/sign-out')
      return undefined
    },
  })

  /** Takes the invitation first, so that a link works once even if it is used twice at the same moment. */
  async function signUp(
    c: Ctx,
    invitationId: string,
    person: { name: string; email: string; password: string },
  ): Promise<void> {
    const known = await accounts.userByEmail(person.email)
    if (known !== undefined && (await people.role(known.id)) !== undefined)
      throw new NamedError('PersonExists', 'There is already an account with this e-mail address. Sign in.', {
        status: 409,
      })
    const invitation = await people.take(invitationId)
    if (invitation === undefined) throw linkInvalid()
    if (known !== undefined) await accounts.forget(known.id)
    try {
      const { ok, body } = await accounts.admit(person.email, invitation.role as Role, () =>
        forward(c, '/sign-up/email', person),
      )
      if (!ok) throw new NamedError('BadRequest', `The account was not created: ${String(body['message'])}`)
    } catch (error) {
      await people.giveBack(invitation)
      throw error
    }
  }
}

/** Returns the address of the provider to open. Throws `ProviderNotFound` (404), `ProviderUnavailable` (503). */
export async function startProvider(
  c: Ctx,
  {
    services,
    provider,
    path,
  }: { services: Pick<SignInServices, 'team' | 'accounts' | 'forward'>; provider: string; path: string },
): Promise<string> {
  const { team, accounts, forward } = services
  if (team.providers?.some(({ id }) => id === provider) !== true)
    throw new NamedError('ProviderNotFound', 'There is no such sign-in provider.', { status: 404 })
  if (!(await accounts.hasProvider(provider)))
    throw new NamedError('ProviderUnavailable', 'The sign-in provider does not respond. Try again in a moment.', {
      status: 503,
    })
  const callbackURL = `${team.origin}/`
  const { ok, body } = await forward(c, path, {
    provider,
    callbackURL,
    errorCallbackURL: callbackURL,
    disableRedirect: true,
  })
  if (!ok || typeof body['url'] !== 'string') throw new Error(`the sign-in with ${provider} could not start`)
  return body['url']
}

export function deviceRoutes({ team, access, limits, forward, accounts }: SignInServices): Route[] {
  return implement(deviceEndpoints, {
    'POST /ai/device': async ({ body: { name } }, c) => {
      await limits.count({ address: access.address(c) })
      const { body } = await forward(c, '/device/code', { client_id: deviceClientId, scope: name || 'a device' })
      const made = body as { device_code: string; user_code: string; expires_in: number; interval: number }
      const userCode = made.user_code.replace(/^(.{4})/, '$1-')
      const url = `${team.origin}/#device`
      return {
        deviceCode: made.device_code,
        userCode,
        url,
        urlWithCode: `${url}=${userCode}`,
        expiresAt: Date.now() + made.expires_in * 1000,
        interval: made.interval,
      }
    },
    'POST /ai/device/token': async ({ body: { deviceCode } }, c) => {
      const { ok, body } = await forward(c, '/device/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: deviceCode,
        client_id: deviceClientId,
      })
      if (ok) {
        const token = String(body['access_token'])
        await accounts.nameDevice(token, String(body['scope']))
        return { token }
      }
      if (body['error'] === 'authorization_pending') return new Reply(202, { status: 'pending' as const })
      if (body['error'] === 'slow_down') return new Reply(202, { status: 'slow-down' as const })
      await limits.count({ address: access.address(c) })
      if (body['error'] === 'access_denied')
        throw new NamedError('DeviceDenied', 'The sign-in of this device was refused.', { status: 403 })
      throw new NamedError('DeviceExpired', 'This code has expired. Start the sign-in again.', { status: 403 })
    },
    'POST /ai/device/lookup': async ({ principal, body: { userCode } }, c) => {
      await limits.count({ address: access.address(c), account: guesses(principal) })
      const { ok, body } = await claim(c, userCode)
      if (!ok || body['status'] !== 'pending' || body['client_id'] === undefined) throw deviceNotFound()
      await limits.forgive(guesses(principal))
      return { name: String(body['scope']) }
    },
    'POST /ai/device/answer': async ({ principal, body: { userCode, approve } }, c) => {
      await limits.count({ address: access.address(c), account: guesses(principal) })
      await claim(c, userCode)
      const { ok } = await forward(c, approve ? '/device/approve' : '/device/deny', { userCode })
      if (!ok) throw deviceNotFound()
      await limits.forgive(guesses(principal))
      return undefined
    },
  })

  /** The first person who enters a code is the only one who can confirm it. */
  function claim(c: Ctx, userCode: string) {
    return forward(c, `/device?user_code=${encodeURIComponent(userCode)}`, undefined, 'GET')
  }
}

/** Codes are short, so each person may only try a few. */
function guesses(principal: { kind: string; person?: { id: string } }): string {
  return `device ${principal.person?.id ?? ''}`
}

function deviceNotFound(): NamedError {
  return new NamedError('DeviceNotFound', 'No device waits with this code.', { status: 404 })
}
