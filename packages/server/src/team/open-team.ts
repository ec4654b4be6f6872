import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Media, Store, Workspace } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { Authorize, CheckedRequest } from '../http/app.ts'
import type { Principal } from '../http/principal.ts'
import type { Ctx, Route } from '../http/route.ts'
import type { OpenWorkspace } from '../http/scope.ts'
import type { JoinedNodes } from '../joined/joined-nodes.ts'
import type { RunManager } from '../runs/run-manager.ts'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import type { Log } from '../stores/sql/context.ts'
import { accountRoutes } from './account-routes.ts'
import { openAccounts } from './accounts.ts'
import { createAuthorize, type RuleScope } from './authorize.ts'
import { createForward } from './forward.ts'
import { createNames, grantRoutes, memberRoutes } from './member-routes.ts'
import { type CheckedTeamOptions, checkTeamOptions, type TeamOptions } from './options.ts'
import { commentRoutes, sharingRoutes } from './sharing-routes.ts'
import { deviceRoutes, signInRoutes } from './sign-in-routes.ts'
import { createTeamAccess } from './team-access.ts'
import type { TeamData } from './team-data.ts'

interface TeamServices {
  store: SqlStore
  runs: Pick<RunManager, 'all'>
  /** Stops the runs of a chat, on whichever node they are. */
  stopRuns(sessionId: string): Promise<void>
  media: Media
  workspaces: { own: Workspace }
  teamData: TeamData | undefined
  joined?: { nodes: Pick<JoinedNodes, 'recheck'> } | undefined
  openWorkspace: OpenWorkspace
  sessionOfRevert(revertId: string): Promise<string | undefined>
  scopeOfRule(
    id: string,
    at: {
      workspaceId: string
      session: Awaited<ReturnType<Store['sessions']['get']>>
      person: string | undefined
    },
  ): Promise<RuleScope | undefined>
  log: Log
}

const recheckMs = 60_000
const accessSignal = 'team_access'

/** Throws `BadTeamSettings`, before anything is opened. */
export function checkTeam(team: TeamOptions, host: string): CheckedTeamOptions {
  return checkTeamOptions(team, host)
}

export async function readTls({ tls }: TeamOptions): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (tls === undefined) return undefined
  try {
    return { cert: await readFile(tls.cert), key: await readFile(tls.key) }
  } catch (error) {
    throw new NamedError('BadTeamSettings', `The certificate or its key cannot be read: ${(error as Error).message}`, {
      status: 400,
    })
  }
}

/** Opens accounts, access and routes of team mode. The dialect of the store is that of its database. */
export async function openTeam(team: CheckedTeamOptions, services: TeamServices) {
  const { store, runs, stopRuns, log, teamData } = services
  if (teamData === undefined) throw new Error('Team mode needs its data.')
  const { people, sharing, limits, rightsOf, blobs } = teamData
  const dialect = store.db.getExecutor().adapter.supportsTransactionalDdl ? 'postgres' : 'sqlite'
  const accounts = await openAccounts({ db: store.db as never, dialect, team, people, log })
  const access = createTeamAccess({ team, accounts, people, sharing })
  const forward = createForward({ accounts, access })
  const names = createNames(accounts)
  const openStreams = new Map<Ctx, CheckedRequest>()

  const authorize: Authorize = createAuthorize({
    store,
    rightsOf,
    openWorkspace: services.openWorkspace,
    sessionOfRevert: services.sessionOfRevert,
    scopeOfRule: services.scopeOfRule,
    canReadBlob: blobs.canRead,
    madeBlob: blobs.isOnlyOf,
    async canReadTask(principal, taskId) {
      const task = await services.media.get(taskId)
      if (task === undefined || principal.kind !== 'person') return false
      if (task.ownerId === principal.person.id) return true
      const session = task.sessionId === undefined ? undefined : await store.sessions.get(task.sessionId)
      return session !== undefined && (await rightsOf(principal).session(session)) !== undefined
    },
  })

  /** Ends the open responses of callers who may no longer have them, on all nodes. */
  async function recheck(): Promise<void> {
    await recheckHere()
    await store.signals.notify(accessSignal, '')
  }

  async function recheckHere(): Promise<void> {
    await services.joined?.nodes.recheck()
    await Promise.all(
      [...openStreams].map(async ([c, request]) => {
        try {
          const principal = await access.check(c, { open: false, linkable: request.route.linkable === true })
          await authorize(c, { ...request, principal })
        } catch {
          c.env?.outgoing?.destroy()
        }
      }),
    )
  }
  const timer = setInterval(() => void recheckHere(), recheckMs).unref()
  const listening = [
    await store.signals.listen(accessSignal, {
      onSignal: () => void recheckHere(),
      onReconnect: () => void recheckHere(),
    }),
  ]

  /** Notes responses that may last: a stream continues long after its request was allowed. */
  function onAllowed(c: Ctx, request: CheckedRequest): void {
    const outgoing = c.env?.outgoing
    if (outgoing === undefined || request.route.gives?.includes('stream') !== true) return
    openStreams.set(c, request)
    outgoing.once('close', () => openStreams.delete(c))
  }

  async function principalOf(personId: string): Promise<Principal | undefined> {
    const [user, role] = await Promise.all([accounts.user(personId), people.role(personId)])
    if (user === null || role === undefined) return undefined
    return { kind: 'person', person: { id: user.id, name: user.name, email: user.email, role } }
  }

  /** Everyone may use the folder that the server was started in, until an owner decides otherwise. */
  async function onOwner(): Promise<void> {
    await people.grant(services.workspaces.own.id, 'role:member', 'write')
    await people.grant(services.workspaces.own.id, 'role:viewer', 'read')
  }

  const shared = {
    team,
    store,
    runs,
    stopRuns,
    accounts,
    people,
    sharing,
    access,
    limits,
    forward,
    names,
    rightsOf,
    principalOf,
    recheck,
    onOwner,
  }
  const routes: Route[] = createTeamRoutes(shared)

  return {
    access,
    authorize,
    onAllowed,
    routes,
    accounts,
    headers: (team.secure ? { 'strict-transport-security': 'max-age=31536000' } : {}) as Record<string, string>,
    async close() {
      clearInterval(timer)
      await Promise.all(listening.map((stop) => stop()))
    },
    /** For the export and deletion of a person. Throws `LastOwner` (409). */
    personSource: {
      async erase({ id }: { id: string }): Promise<void> {
        if ((await people.role(id)) !== undefined) await people.remove(id)
        await accounts.forget(id)
      },
    },
    /**
     * The address that creates the first owner, or undefined if there is one. All nodes print the same: its secret
     * derives from the secret key.
     */
    async setupUrl(): Promise<string | undefined> {
      if (await people.hasOwner()) return undefined
      return `${team.origin}/#setup=${await people.setupToken((id) => createHmac('sha256', team.derive('setup')).update(id).digest('base64url'))}`
    },
  }
}

type RouteServices = Parameters<typeof accountRoutes>[0] &
  Parameters<typeof memberRoutes>[0] &
  Parameters<typeof sharingRoutes>[0]

/** Uses no service, so that the reference can be generated without a server. */
export function createTeamRoutes(services: RouteServices): Route[] {
  return [
    ...signInRoutes(services),
    ...deviceRoutes(services),
    ...accountRoutes(services),
    ...memberRoutes(services),
    ...grantRoutes(services),
    ...sharingRoutes(services),
    ...commentRoutes(services),
  ]
}
