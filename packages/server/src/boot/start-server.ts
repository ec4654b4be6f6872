import { rmSync } from 'node:fs'
import path from 'node:path'
import { NamedError } from '@troupe/protocol'
import { lockHome, openHome } from '../config/home.ts'
import { createAccess, openKnownPages } from '../http/access.ts'
import { createApp } from '../http/app.ts'
import { hostInUrl, isLoopback, listen, type Listening } from '../http/listen.ts'
import { createOpenWorkspace } from '../http/scope.ts'
import { createWebFiles } from '../http/web-files.ts'
import { scheduleTrashCleanup } from '../sessions/session-routes.ts'
import { createTickets, terminalUpgrade } from '../terminals/terminal-socket.ts'
import { createRoutes } from './routes.ts'
import type { Server, ServerOptions } from './server.ts'
import { openServices } from './services.ts'

/** Starts the server on one home. Throws `HomeOwned` (with the owner's address) if another process has it. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { env = process.env, host = '127.0.0.1', log = (line: string) => void process.stderr.write(line) } = options
  if (!isLoopback(host)) {
    const text = `Troupe has no user accounts yet, so it only serves this machine and refuses "${host}". Use 127.0.0.1 and a tunnel.`
    throw new NamedError('NotLoopback', text)
  }
  const home = openHome({ path: options.home, env })
  const lock = lockHome(home)
  if ('ownedBy' in lock) {
    const text = `Another process is using ${home.path}${lock.ownedBy?.url ? ` (${lock.ownedBy.url})` : ''}.`
    throw new NamedError('HomeOwned', text, { status: 409, data: { owner: lock.ownedBy ?? null } })
  }
  let port = 0
  let listening: Listening | undefined
  const origin = (): string => `http://${hostInUrl(host)}:${port}`
  // Run in reverse order: connections, runs, streams, journal, store, lock.
  const closers: (() => unknown)[] = [() => lock.release()]
  try {
    const services = await openServices(options, { home, env, log, origin, closers })
    const { store, runs, workspaces, logger } = services
    closers.push(() => listening?.end())
    closers.push(() => runs.close())
    closers.push(() => listening?.stop())

    const hosts = new Set<string>()
    const access = createAccess({
      token: home.token,
      pages: openKnownPages(home.path),
      hosts,
    })
    const openWorkspace = createOpenWorkspace({ access, workspaces })
    const tickets = createTickets()
    const uploads = path.join(home.path, 'uploads')
    const app = createApp({
      routes: createRoutes({ ...services, access, openWorkspace, tickets, ownPort: () => port, uploads }),
      access,
      logger,
      openWorkspace,
      onAnswer: options.onAnswer,
      files: createWebFiles(options.webFolder ?? path.resolve(import.meta.dirname, '../../../web/dist')),
    })
    // Uploads that an import had not read when the process ended.
    rmSync(uploads, { recursive: true, force: true })
    await runs.recover()
    closers.push(scheduleTrashCleanup(services))
    if (options.listen !== false) {
      const wanted = { host, port: options.port ?? Number(env['TROUPE_PORT'] || 4880) }
      listening = await listen(app, wanted, terminalUpgrade({ ...services, access, tickets }))
      port = listening.port
      lock.announce({ url: origin(), port })
    }
    for (const name of ['127.0.0.1', 'localhost', '[::1]', hostInUrl(host)]) hosts.add(`${name}:${port}`)
    const newUrl = (): string => `${origin()}/#k=${access.newKey()}`
    return {
      url: newUrl(),
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
        headers.set('authorization', `Bearer ${home.token}`)
        return app.request(`http://127.0.0.1:${port}${target}`, { ...init, headers })
      },
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers)
    throw error
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
