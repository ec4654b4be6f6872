import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Session } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { TerminalPlaces } from '../cluster/terminal-places.ts'
import { lockHome, openHome } from '../config/home.ts'
import { createAccess, openKnownPages } from '../http/access.ts'
import { type ClusterRoutes, createApp } from '../http/app.ts'
import { hostInUrl, isLoopback, listen, type Listening } from '../http/listen.ts'
import type { Ctx } from '../http/route.ts'
import { createTickets } from '../http/tickets.ts'
import { createWebFiles } from '../http/web-files.ts'
import { isJoinedId } from '../util/joined-folder.ts'
import { joinUpgrade } from '../joined/join-socket.ts'
import { parseScope } from '../rules/rule-routes.ts'
import type { RuleScope } from '../team/authorize.ts'
import { scheduleTrashCleanup } from '../sessions/session-routes.ts'
import { terminalUpgrade, ticketPlaceSchema } from '../terminals/terminal-socket.ts'
import { createOpenWorkspace } from '../workspaces/open-workspaces.ts'
import { createRoutes } from './routes.ts'
import type { Server, ServerOptions } from './server.ts'
import { openServices, type Services } from './services.ts'
import { withTeam } from './team-settings.ts'

/** Starts the server on one home. Throws `HomeOwned` (with the owner's address) if another process has it. */
export async function startServer(given: ServerOptions = {}): Promise<Server> {
  const { env = process.env, host = '127.0.0.1', log = (line: string) => void process.stderr.write(line) } = given
  if (given.team === undefined && !isLoopback(host)) {
    const text = `Without accounts, Troupe only serves this machine and refuses "${host}". Use 127.0.0.1, or team mode: troupe serve --team.`
    throw new NamedError('NotLoopback', text)
  }
  const teamMode = given.team && (await import('../team/open-team.ts'))
  const settings = given.team && teamMode?.checkTeam(given.team, host)
  const isTeam = given.isolation !== undefined || given.team?.isolation !== undefined
  const home = openHome({ path: given.home, env, isTeam })
  const lock = lockHome(home)
  if ('ownedBy' in lock) {
    const text = `Another process is using ${home.path}${lock.ownedBy?.url ? ` (${lock.ownedBy.url})` : ''}.`
    throw new NamedError('HomeOwned', text, { status: 409, data: { owner: lock.ownedBy ?? null } })
  }
  let port = 0
  let listening: Listening | undefined
  const origin = (): string => settings?.origin ?? `http://${hostInUrl(host)}:${port}`
  // Run in reverse order: connections, runs, streams, journal, store, lock.
  const closers: (() => unknown)[] = [() => lock.release()]
  try {
    const options = settings === undefined ? given : await withTeam(given, settings, { home, env })
    const services = await openServices(options, { home, env, log, origin, closers })
    const { store, runs, workspaces, logger, cluster } = services
    closers.push(() => listening?.end())
    closers.push(() => runs.close())
    // Before the port closes, so that requests for chats that are still here get through.
    closers.push(() => cluster?.drain(options.cluster?.drainMs ?? 60_000))
    closers.push(() => listening?.stop())

    const hosts = new Set<string>()
    const isProgram = (c: Ctx): boolean => access.isProgram(c)
    const openWorkspace = createOpenWorkspace({ access: { isProgram }, workspaces, isolation: services.isolation })
    const team =
      settings &&
      (await teamMode?.openTeam(settings, {
        ...services,
        ...lookups(services),
        stopRuns: async (sessionId) => void (await (cluster ?? runs).stop(sessionId)),
        openWorkspace,
        log: logger,
      }))
    if (team !== undefined) closers.push(() => team.close())
    if (team !== undefined) {
      services.governance?.personSources.push(team.personSource)
      services.governance?.rotators.push(team.accounts.rotate)
    }
    const access = team?.access ?? createAccess({ token: home.token, pages: openKnownPages(home.path), hosts })
    const tickets = createTickets(ticketPlaceSchema, { secret: settings?.derive('terminal tickets') })
    const { joined } = services
    const uploads = path.join(home.path, 'uploads')
    const clusterRoutes = cluster && (await openClusterRoutes(services, options, closers, team?.access.address))
    const app = createApp({
      routes: createRoutes({ ...services, access, openWorkspace, tickets, ownPort: () => port, uploads }, team?.routes),
      access,
      authorize: team?.authorize,
      onAllowed:
        team &&
        ((c, request) => {
          options.onAllowed?.(request.route)
          team.onAllowed(c, request)
        }),
      headers: team?.headers,
      logger,
      openWorkspace,
      onAnswer: options.onAnswer,
      cluster: clusterRoutes?.routes,
      observer: services.governance?.observe({ addressOf: team?.access.address }),
      files: createWebFiles(options.webFolder ?? path.resolve(import.meta.dirname, '../../../web/dist')),
    })
    // Uploads that an import had not read when the process ended.
    rmSync(uploads, { recursive: true, force: true })
    if (cluster === undefined) await runs.recover()
    closers.push(scheduleTrashCleanup(services))
    if (options.listen !== false) {
      const tls = options.team && (await teamMode?.readTls(options.team))
      const wanted = { host, port: options.port ?? Number(env['TROUPE_PORT'] || 4880), tls }
      const onTerminal = terminalUpgrade({ ...services, access, tickets, elsewhere: clusterRoutes?.terminals })
      const joining = joined && joinUpgrade(joined)
      listening = await listen(app, wanted, (request, ...rest) => (joining?.(request) ?? onTerminal)(request, ...rest))
      port = listening.port
      // Programs of this machine have no account, so they cannot use a team's server.
      lock.announce({ url: origin(), port })
      const scheme = tls === undefined ? 'http' : 'https'
      await cluster?.join(options.cluster?.url ?? `${scheme}://${hostInUrl(host)}:${port}`, runs)
    }
    for (const name of ['127.0.0.1', 'localhost', '[::1]', hostInUrl(host)]) hosts.add(`${name}:${port}`)
    const newUrl = (): string => (team === undefined ? `${origin()}/#k=${access.newKey()}` : origin())
    return {
      url: (await team?.setupUrl()) ?? newUrl(),
      newUrl,
      app,
      port,
      token: home.token,
      home,
      config: services.config,
      models: services.models,
      store,
      runs,
      workspace: workspaces.own,
      mcp: services.mcp,
      sandbox: services.sandbox,
      ruleWarnings: services.permissions.warnings(workspaces.own),
      problems: services.problems(workspaces.own),
      fetch: async (target, init = {}) => {
        const headers = new Headers(init.headers)
        headers.set('host', `127.0.0.1:${port}`)
        headers.set('authorization', `Bearer ${team?.access.internalToken ?? home.token}`)
        return app.request(`http://127.0.0.1:${port}${target}`, { ...init, headers })
      },
      close() {
        services.operations.drain()
        return closeAll(closers)
      },
    }
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

async function openClusterRoutes(
  { cluster, store, terminals, logger }: Pick<Services, 'cluster' | 'store' | 'terminals' | 'logger'>,
  options: ServerOptions,
  closers: (() => unknown)[],
  addressOf: ((c: Ctx) => string | undefined) | undefined,
): Promise<{ routes: ClusterRoutes; terminals: TerminalPlaces }> {
  const [{ createClusterRoutes }, { createForwarder }, { createTerminalPlaces }] = await Promise.all([
    import('../cluster/cluster-routes.ts'),
    import('../cluster/forward.ts'),
    import('../cluster/terminal-places.ts'),
  ])
  const forwarder = createForwarder(options.cluster!.secret)
  closers.push(() => forwarder.close())
  // Any node can reach a member's computer.
  const placeOf = async (workspaceId: string): Promise<string | undefined> =>
    isJoinedId(workspaceId) ? undefined : (await store.workspaces.get(workspaceId))?.place
  const places = createTerminalPlaces({ cluster: cluster!, placeOf })
  terminals.watch((found) => {
    places
      .announce(found)
      .catch((error: unknown) =>
        logger({ level: 'warn', message: 'terminals were not announced', error: String(error) }),
      )
  })
  const routes = createClusterRoutes({ cluster: cluster!, forwarder, addressOf, placeOf, terminals: places })
  return { routes, terminals: places }
}

/** Finds the chat or scope of an id in a request, to check the caller's rights on it. */
function lookups({ states, rules, permissions, store }: Services) {
  return {
    async sessionOfRevert(revertId: string): Promise<string | undefined> {
      const [first] = revertId.startsWith('revert_') ? await states.undo.list({ toolCallId: revertId }) : []
      return first?.mark.sessionId
    },
    async scopeOfRule(
      id: string,
      at: { workspaceId: string; session: Session | undefined; person: string | undefined },
    ): Promise<RuleScope | undefined> {
      const { path: folder = '', trusted = false } = (await store.workspaces.get(at.workspaceId)) ?? {}
      const place =
        at.session === undefined ? { id: at.workspaceId, path: folder, trusted } : permissions.placeOf(at.session)
      const rule = rules.list({ place, session: at.session, person: at.person }).find((one) => one.id === id)
      return rule && (rule.own === true ? 'own' : parseScope(rule))
    },
  }
}

/** Runs all closers in reverse order, even if one fails. Throws the failures at the end. */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Not everything was closed.')
}
