import { apiKey } from '@better-auth/api-key'
import { passkey } from '@better-auth/passkey'
import type { Role } from '@troupe/protocol'
import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { deviceAuthorization } from 'better-auth/plugins/device-authorization'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { AnyDb, Log } from '../stores/sql/context.ts'
import type { CheckedTeamOptions, OidcProvider } from './options.ts'
import type { People } from './people.ts'

export const basePath = '/ai/account'
/** Set on requests that the server makes to better-auth itself. Clients cannot: their requests never reach it. */
export const addressHeader = 'x-troupe-address'
export const tokenPrefix = 'troupe_'
/** The client id of our device sign-in. */
export const deviceClientId = 'troupe'
export const day = 24 * 60 * 60

export interface AccountsOptions {
  db: AnyDb
  dialect: 'sqlite' | 'postgres'
  team: CheckedTeamOptions
  people: People
  log: Log
}

/** `admitted`: people whose account is being created, by e-mail address, and the role they get. */
export function createAuth(options: AccountsOptions, admitted: Map<string, Role>) {
  return betterAuth(authOptions(options, admitted))
}

export function authOptions({ db, dialect, team, people, log }: AccountsOptions, admitted: Map<string, Role>) {
  const table = (modelName: string) => ({ modelName: `auth_${modelName}` })
  return {
    appName: 'Troupe',
    baseURL: team.origin,
    basePath,
    // Reads what was encrypted before keys had versions.
    secret: team.derive('accounts', team.oldSecretKeys?.at(-1)).toString('base64url'),
    // The version names the key in what it encrypts, so that earlier keys can be told apart.
    secrets: [team.secretKey, ...(team.oldSecretKeys ?? [])].map((key) => ({
      version: team.derive('accounts version', key).readUInt32BE(0),
      value: team.derive('accounts', key).toString('base64url'),
    })),
    trustedOrigins: [team.origin],
    // Our hooks use the same connection. An account that a crash leaves half made is replaced by the next invitation.
    database: { db, type: dialect, transaction: false },
    telemetry: { enabled: false },
    logger: { level: 'warn', log: (level, message) => log({ level: level === 'error' ? 'error' : 'warn', message }) },
    // Our own limits count per address and per account, on all nodes. See limits.ts.
    rateLimit: { enabled: false },
    advanced: {
      // The prefix keeps other hosts of the domain from setting it. Browsers accept it only from https.
      cookiePrefix: team.secure ? '__Host-troupe' : 'troupe',
      useSecureCookies: false,
      defaultCookieAttributes: { secure: team.secure, httpOnly: true, path: '/', sameSite: 'lax' },
      cookies: { session_token: { attributes: { sameSite: 'strict' } } },
      ipAddress: { ipAddressHeaders: [addressHeader] },
    },
    user: {
      ...table('user'),
      validateUserInfo: async ({ user, source }) => {
        const email = (user.email ?? '').toLowerCase()
        if (source.method !== 'oauth') return admitted.has(email) ? undefined : { error: 'not_invited' }
        if (user.emailVerified !== true) return { error: 'email_not_verified' }
        if (source.action !== 'create-user') return undefined
        const role = await roleOf(
          email,
          team.providers?.find(({ id }) => id === source.oauth?.providerId),
          people,
        )
        if (role === undefined) return { error: 'not_invited' }
        admitted.set(email, role)
        return undefined
      },
    },
    session: {
      ...table('session'),
      additionalFields: { kind: { type: 'string', required: false, input: false } },
      expiresIn: 30 * day,
      updateAge: day,
      freshAge: 15 * 60,
    },
    account: {
      ...table('account'),
      // A provider that lies about an address must not get into the account with that address.
      accountLinking: { enabled: true, disableImplicitLinking: true },
      encryptOAuthTokens: true,
    },
    verification: table('verification'),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      maxPasswordLength: 200,
      revokeSessionsOnPasswordReset: true,
    },
    databaseHooks: {
      user: {
        create: {
          // The invitation was sent to this address, so a person with its link has proved that they own the address.
          before: async (user) => ({ data: { ...user, emailVerified: true } }),
          after: async (user) => {
            const role = admitted.get(user.email)
            admitted.delete(user.email)
            if (role !== undefined) await people.add(user.id, role)
            const invitation = await people.invitationFor(user.email)
            if (invitation !== undefined) await people.take(invitation.id)
          },
        },
      },
      session: {
        create: {
          before: async (session, context) =>
            context?.path === '/device/token' ? { data: { ...session, kind: 'device' } } : undefined,
        },
      },
    },
    plugins: [
      twoFactor({ issuer: 'Troupe', schema: { twoFactor: table('two_factor') } }),
      passkey({
        rpName: 'Troupe',
        rpID: new URL(team.origin).hostname,
        origin: team.origin,
        schema: { passkey: table('passkey') },
      }),
      apiKey({
        defaultPrefix: tokenPrefix,
        maximumNameLength: 100,
        keyExpiration: { maxExpiresIn: 366 },
        startingCharactersConfig: { charactersLength: tokenPrefix.length + 4 },
        rateLimit: { enabled: false },
        schema: { apikey: table('api_key') },
      }),
      deviceAuthorization({
        expiresIn: '10m',
        interval: '2s',
        userCodeLength: 8,
        verificationUri: `${team.origin}/#device`,
        validateClient: (id: string) => id === deviceClientId,
        schema: { deviceCode: table('device_code') },
      }),
      genericOAuth({ config: (team.providers ?? []).map(oauthConfig) }),
    ],
  } satisfies BetterAuthOptions
}

/** Invited people, and people of domains that this provider vouches for. */
async function roleOf(email: string, provider: OidcProvider | undefined, people: People): Promise<Role | undefined> {
  const invitation = await people.invitationFor(email)
  if (invitation !== undefined) return invitation.role as Role
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return provider?.domains?.some((one) => one.toLowerCase() === domain) === true ? 'member' : undefined
}

function oauthConfig({ id, name, issuer, clientId, clientSecret }: OidcProvider) {
  return {
    providerId: id,
    name: name ?? id,
    discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    requireIdTokenVerification: true,
  }
}
