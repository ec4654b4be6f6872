import { defaultKeyHasher } from '@better-auth/api-key'
import type { Role } from '@troupe/protocol'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import { sql } from 'kysely'
import { type AccountsOptions, authOptions, basePath, createAuth, day } from './auth-options.ts'

const pageRows = 100

export type Accounts = Awaited<ReturnType<typeof openAccounts>>

/**
 * The accounts, kept by better-auth. None of its routes is mounted: ours call the ones we use, so every way in is a
 * declared endpoint with our own checks. Nobody can sign up by themselves, see `admit`.
 */
export async function openAccounts(options: AccountsOptions) {
  const { team } = options
  /** People whose account is being created, by e-mail address, and the role they get. */
  const admitted = new Map<string, Role>()
  await migrateAccounts(options, admitted)
  let auth = createAuth(options, admitted)
  let rebuilding: Promise<void> | undefined
  let triedAt = 0

  return {
    /** Sends a request to better-auth. Its cookies are those of the caller. */
    request(path: string, init: { method?: string; body?: unknown; headers: Headers }): Promise<Response> {
      return auth.handler(
        new Request(`${team.origin}${basePath}${path}`, {
          method: init.method ?? 'POST',
          headers: init.headers,
          ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
        }),
      )
    },

    /** Encrypts the second factors with the current key. */
    async rotate(): Promise<{ rotated: number; unreadable: number }> {
      const { adapter, secretConfig: key } = await auth.$context
      const isCurrent = (text: string) => typeof key !== 'string' && text.startsWith(`$ba$${key.currentVersion}$`)
      const renew = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) })
      const counts = { rotated: 0, unreadable: 0 }
      for (let offset = 0; ; offset += pageRows) {
        const sortBy = { field: 'id', direction: 'asc' as const }
        const rows = await adapter.findMany<StoredFactor>({ model: 'twoFactor', limit: pageRows, offset, sortBy })
        for (const { id, secret, backupCodes } of rows) {
          if (isCurrent(secret) && isCurrent(backupCodes)) continue
          try {
            const update = { secret: await renew(secret), backupCodes: await renew(backupCodes) }
            // Only if the person did not use a backup code meanwhile.
            const where = Object.entries({ id, secret, backupCodes }).map(([field, value]) => ({ field, value }))
            if ((await adapter.updateMany({ model: 'twoFactor', where, update })) > 0) counts.rotated++
          } catch {
            counts.unreadable++
          }
        }
        if (rows.length < pageRows) return counts
      }
    },

    /** The person and the session of a cookie, and cookies to send back if it was prolonged. */
    async fromCookie(headers: Headers) {
      const { response, headers: sent } = await auth.api.getSession({ headers, returnHeaders: true })
      return response === null ? undefined : { ...response, cookies: sent.getSetCookie() }
    },

    /** The person of the token that a device got. Browser sessions are refused: they need their cookie. */
    async fromDevice(token: string) {
      const found = await (await auth.$context).internalAdapter.findSession(token)
      if (found === null || found.session.expiresAt.getTime() <= Date.now()) return undefined
      return (found.session as { kind?: string }).kind === 'device' ? found : undefined
    },

    /** The person of a sign-in, by its id. */
    async signIn(id: string) {
      const context = await auth.$context
      const where = [{ field: 'id', value: id }]
      const found = await context.adapter.findOne<StoredSignIn & { userId: string }>({ model: 'session', where })
      if (found === null || new Date(found.expiresAt).getTime() <= Date.now()) return undefined
      const user = await context.internalAdapter.findUserById(found.userId)
      return user === null ? undefined : { user }
    },

    /** The person of an API token, whose hash is stored. */
    async fromToken(token: string) {
      const context = await auth.$context
      const key = await context.adapter.findOne<StoredToken>({
        model: 'apikey',
        where: [{ field: 'key', value: await defaultKeyHasher(token) }],
      })
      if (key === null || !key.enabled || (key.expiresAt !== null && new Date(key.expiresAt).getTime() <= Date.now()))
        return undefined
      const user = await context.internalAdapter.findUserById(key.referenceId)
      if (user === null) return undefined
      // Once a minute is enough to see that a token is in use, and saves a write per request.
      if (key.lastRequest === null || Date.now() - new Date(key.lastRequest).getTime() > 60_000)
        await context.adapter.update({
          model: 'apikey',
          where: [{ field: 'id', value: key.id }],
          update: { lastRequest: new Date() },
        })
      return { user, scopes: scopesOf(key) }
    },

    async createToken(userId: string, given: { name: string; scopes: string[]; days: number | null }) {
      const made = await auth.api.createApiKey({
        body: {
          userId,
          name: given.name,
          permissions: { troupe: given.scopes },
          ...(given.days !== null && { expiresIn: given.days * day }),
        },
      })
      return { token: made as unknown as StoredToken, secret: made.key }
    },

    async tokens(userId: string): Promise<StoredToken[]> {
      const where = [{ field: 'referenceId', value: userId }]
      return (await auth.$context).adapter.findMany<StoredToken>({ model: 'apikey', where })
    },

    async deleteToken(userId: string, id: string): Promise<boolean> {
      const where = [
        { field: 'id', value: id },
        { field: 'referenceId', value: userId },
      ]
      return (await (await auth.$context).adapter.deleteMany({ model: 'apikey', where })) > 0
    },

    async user(id: string) {
      return (await auth.$context).internalAdapter.findUserById(id)
    },

    async users(ids: readonly string[]) {
      if (ids.length === 0) return []
      const where = [{ field: 'id', operator: 'in' as const, value: [...ids] }]
      return (await auth.$context).adapter.findMany<User>({ model: 'user', where, limit: ids.length })
    },

    async userByEmail(email: string) {
      return (await (await auth.$context).internalAdapter.findUserByEmail(email))?.user
    },

    async hasPassword(userId: string): Promise<boolean> {
      const accounts = await (await auth.$context).internalAdapter.findAccounts(userId)
      return accounts.some(({ providerId }) => providerId === 'credential')
    },

    async rename(userId: string, name: string): Promise<void> {
      await (await auth.$context).internalAdapter.updateUser(userId, { name })
    },

    /** Lets `create` make an account for this address, which sign-up refuses otherwise. */
    async admit<T>(email: string, role: Role, create: () => Promise<T>): Promise<T> {
      admitted.set(email, role)
      try {
        return await create()
      } finally {
        admitted.delete(email)
      }
    },

    async sessions(userId: string): Promise<StoredSignIn[]> {
      const where = [{ field: 'userId', value: userId }]
      const found = await (await auth.$context).adapter.findMany<StoredSignIn>({ model: 'session', where })
      return found.filter(({ expiresAt }) => new Date(expiresAt).getTime() > Date.now())
    },

    /** Ends sign-ins of a person: one, or all but one. Returns how many. */
    async endSessions(userId: string, which: { id: string } | { allBut: string | null }): Promise<number> {
      const where = [
        { field: 'userId', value: userId },
        'id' in which
          ? { field: 'id', value: which.id }
          : { field: 'id', operator: 'ne' as const, value: which.allBut ?? '' },
      ]
      return (await auth.$context).adapter.deleteMany({ model: 'session', where })
    },

    /** Ends everything that lets a person in. Their name stays, for what they wrote. */
    async lockOut(userId: string): Promise<void> {
      const { adapter } = await auth.$context
      for (const [model, field] of credentials) await adapter.deleteMany({ model, where: [{ field, value: userId }] })
      await adapter.update({
        model: 'user',
        where: [{ field: 'id', value: userId }],
        update: { twoFactorEnabled: false },
      })
    },

    /** Removes the leftovers of a person who was removed, so that they can be invited again. */
    async forget(userId: string): Promise<void> {
      await this.lockOut(userId)
      const { adapter } = await auth.$context
      await adapter.deleteMany({ model: 'user', where: [{ field: 'id', value: userId }] })
    },

    async passkeys(userId: string) {
      const where = [{ field: 'userId', value: userId }]
      return (await auth.$context).adapter.findMany<{ id: string; name: string | null; createdAt: Date | null }>({
        model: 'passkey',
        where,
      })
    },

    async deletePasskey(userId: string, id: string): Promise<boolean> {
      const where = [
        { field: 'id', value: id },
        { field: 'userId', value: userId },
      ]
      return (await (await auth.$context).adapter.deleteMany({ model: 'passkey', where })) > 0
    },

    /** People know a device by the name that it gave. */
    async nameDevice(token: string, name: string): Promise<void> {
      await (await auth.$context).internalAdapter.updateSession(token, { userAgent: name })
    },

    async device(userCode: string) {
      const where = [{ field: 'userCode', value: userCode.replace(/[^a-z0-9]/gi, '').toUpperCase() }]
      return (await auth.$context).adapter.findOne<{ status: string; scope: string | null; expiresAt: Date }>({
        model: 'deviceCode',
        where,
      })
    },

    /**
     * True once single sign-on with this provider works. A provider that was down at the start is tried again: better-
     * auth reads its discovery document only when it starts.
     */
    async hasProvider(id: string): Promise<boolean> {
      const isThere = async (): Promise<boolean> =>
        (await auth.$context).socialProviders.some((provider) => provider.id === id)
      if (await isThere()) return true
      if (rebuilding === undefined && Date.now() - triedAt < 2000) return false
      rebuilding ??= rebuild().finally(() => (rebuilding = undefined))
      await rebuilding
      return isThere()
    },
  }

  async function rebuild(): Promise<void> {
    triedAt = Date.now()
    const next = createAuth(options, admitted)
    await next.$context
    auth = next
  }
}

/** Creates the tables of better-auth. Nodes that start together wait for each other. */
async function migrateAccounts(options: AccountsOptions, admitted: Map<string, Role>): Promise<void> {
  const { runMigrations } = await getMigrations(authOptions(options, admitted))
  if (options.dialect === 'sqlite') return runMigrations()
  await options.db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction)
    await (await getMigrations(authOptions(options, admitted))).runMigrations()
  })
}

/** Any number that none of our other locks uses. */
const migrationLock = 7_220_111

const credentials = [
  ['session', 'userId'],
  ['account', 'userId'],
  ['twoFactor', 'userId'],
  ['passkey', 'userId'],
  ['deviceCode', 'userId'],
  ['apikey', 'referenceId'],
] as const

interface User {
  id: string
  name: string
  email: string
  twoFactorEnabled?: boolean | null
}

export interface StoredFactor {
  id: string
  secret: string
  backupCodes: string
}

interface StoredSignIn {
  id: string
  kind: string | null
  userAgent: string | null
  ipAddress: string | null
  createdAt: Date
  expiresAt: Date
}

export interface StoredToken {
  id: string
  name: string | null
  start: string | null
  enabled: boolean
  referenceId: string
  permissions: string | Record<string, string[]> | null
  createdAt: Date
  expiresAt: Date | null
  lastRequest: Date | null
}

export function scopesOf({ permissions }: Pick<StoredToken, 'permissions'>): ('read' | 'write' | 'admin')[] {
  const parsed = (typeof permissions === 'string' ? JSON.parse(permissions) : permissions) as {
    troupe?: ('read' | 'write' | 'admin')[]
  } | null
  return parsed?.troupe ?? []
}
