import path from 'node:path'
import { createHooks, type Hook, loadHooks, type Store } from '@troupe/core'
import { hookEndpoints, type HookInfo } from '@troupe/protocol'
import type { ConfigFile, ProjectConfigs } from '../config/config.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { PolicyWorkspace } from '../permission/rule-layers.ts'
import type { Logger } from '../util/logger.ts'
import type { LoadProblem } from './tools.ts'

export interface WorkspaceHooks {
  /** Returns the hooks active in a workspace: the user's, and those of a trusted project. */
  of(place: PolicyWorkspace): Hook[]
  problems(place: PolicyWorkspace): LoadProblem[]
  list(place: PolicyWorkspace): HookInfo[]
}

export function openHooks(options: {
  home: string
  personHome: string
  config: ConfigFile
  projects: ProjectConfigs
  env: NodeJS.ProcessEnv
  logger: Logger
}): WorkspaceHooks {
  const { home, personHome, config, projects, env, logger } = options
  /** Modules of a workspace, keyed by trust: Node caches a module for the life of the process. */
  const loaded = new Map<string, ReturnType<typeof loadHooks>>()

  return {
    of: (place) => [...ofHome(), ...ofProject(place), ...modules(place).hooks],
    problems: (place) => modules(place).problems,
    list(place) {
      const info = (
        { event, match, command, timeoutMs }: Hook,
        source: string,
        scope: HookInfo['scope'],
      ): HookInfo => ({
        event,
        source,
        scope,
        match,
        command,
        timeoutMs,
      })
      const broken = new Set(modules(place).problems.map((problem) => problem.path))
      return [
        ...ofHome().map((hook) => info(hook, config.path, 'home')),
        ...ofProject(place).map((hook) => info(hook, projects(place).path, 'project')),
        ...modules(place)
          .hooks.filter(({ name }) => !broken.has(name))
          .map((hook) => info(hook, hook.name, hook.name.startsWith(home + path.sep) ? 'home' : 'project')),
      ]
    },
  }

  function ofHome(): Hook[] {
    return createHooks(config.get().hooks, { source: config.path, base: personHome, home: personHome, env })
  }

  function ofProject(place: PolicyWorkspace): Hook[] {
    if (!place.trusted) return []
    const project = projects(place)
    return createHooks(project.get()?.hooks, { source: project.path, base: place.path, home: personHome, env })
  }

  function modules(place: PolicyWorkspace): ReturnType<typeof loadHooks> {
    const key = `${place.trusted} ${place.path}`
    const known = loaded.get(key)
    if (known !== undefined) return known
    const folders = [path.join(home, 'hooks'), ...(place.trusted ? [path.join(place.path, '.troupe', 'hooks')] : [])]
    const found = loadHooks(folders, { base: place.path, home: personHome })
    const problems = found.problems.map(({ path: file, message }) => ({
      path: file,
      message: `${message} Every tool call is denied until this is fixed.`,
    }))
    for (const problem of problems) {
      logger({ level: 'warn', ...problem, message: `a hook was not loaded: ${problem.message}` })
    }
    loaded.set(key, { hooks: found.hooks, problems })
    return { hooks: found.hooks, problems }
  }
}

export function hookRoutes(options: { store: Store; hooks: WorkspaceHooks }): Route[] {
  return implement(hookEndpoints, {
    'GET /ai/hooks': async ({ workspaceId }) => {
      const workspace = await findWorkspace(options.store, workspaceId)
      return { hooks: options.hooks.list(workspace), problems: options.hooks.problems(workspace) }
    },
  })
}
