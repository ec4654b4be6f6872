import path from 'node:path'
import type { Isolation } from '@troupe/core'
import type { Home } from '../config/home.ts'
import { openHooks, openTools } from '../extensions/workspace-extensions.ts'
import { openMcp } from '../mcp/open-mcp.ts'
import { managedFile, openPermissions } from '../permission/permissions.ts'
import type { RunManager } from '../runs/run-types.ts'
import { createProjects, openWorkspaces } from '../workspaces/open-workspaces.ts'
import type { openFoundation } from './foundation.ts'
import type { ServerOptions } from './server.ts'

interface WorkspaceServicesContext {
  foundation: Awaited<ReturnType<typeof openFoundation>>
  home: Home
  env: NodeJS.ProcessEnv
  /** The server's address, once it listens. */
  origin: () => string
  /** Closes the service with the server. */
  closing: <T extends { close(): unknown }>(service: T) => T
  allowBypass: boolean
  folderIsolation: ((workspace: string) => Isolation) | undefined
  /** The runs, once they are open. */
  runs: () => Pick<RunManager, 'get' | 'live'>
}

/** Opens the folders that agents work in, and what each of them brings: rules, hooks, MCP servers, tools, projects. */
export async function openWorkspaceServices(options: ServerOptions, context: WorkspaceServicesContext) {
  const { foundation, home, env, origin, closing, allowBypass, folderIsolation, runs } = context
  const { config, folderStates, governance, logger, redaction, sandbox, store } = foundation
  const { responds } = folderStates
  const { isolation } = options
  const {
    permissions,
    layers,
    grants,
    rules,
    projects: projectConfigs,
    personHome,
  } = openPermissions({
    store,
    home: home.path,
    config,
    env,
    managedFile: options.managedConfig ?? managedFile,
    managed: governance?.policy.managed,
    shared: governance?.rules,
    allowBypass,
    sandbox,
    logger,
    responds,
    onMode: (sessionId, mode) =>
      runs()
        .get(sessionId)
        ?.log.append({
          type: 'data-ui-event',
          data: { name: 'session-mode', data: { sessionId, mode } },
          transient: true,
        }),
  })
  const hooks = openHooks({
    home: home.path,
    personHome,
    config,
    projects: projectConfigs,
    env,
    logger,
    responds,
    folderIsolation,
  })
  const mcp = closing(
    openMcp({
      home: home.path,
      config,
      projects: projectConfigs,
      responds,
      env,
      folderIsolation,
      redirectUrl: () => `${origin()}/ai/mcp/callback`,
      logins: governance?.mcpLogins,
      allows: governance?.policy.allowsMcpServer,
      readyMs: options.mcpReadyMs,
    }),
  )
  redaction.sources.mcp = mcp
  governance?.policy.onChange(() => mcp.refresh())
  const toolFiles = openTools({ home: home.path, logger, responds, loadsFolders: isolation === undefined })
  const workspaces = await openWorkspaces({
    store,
    states: folderStates,
    config,
    home: home.path,
    personHome,
    own: path.resolve(options.workspace ?? process.cwd()),
    loaders: [redaction, toolFiles, permissions, mcp],
    onMove: (from, to) => layers.move(from, to),
  })
  const projects = createProjects({
    store,
    states: folderStates,
    configs: projectConfigs,
    async inUse() {
      const sessions = await Promise.all(
        runs()
          .live()
          .map(({ sessionId }) => store.sessions.get(sessionId)),
      )
      return sessions.flatMap((session) => session?.projectId ?? [])
    },
  })
  if (folderStates.responds(workspaces.own.path)) {
    await isolation?.admit(workspaces.own.path)
    workspaces.load(workspaces.own)
  }
  return { permissions, layers, grants, rules, personHome, hooks, mcp, toolFiles, workspaces, projects }
}
