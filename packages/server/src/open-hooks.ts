import path from 'node:path'
import { createHooks, loadHooks, type Hook } from '@troupe/core'
import type { ConfigFile } from './config.ts'
import type { Logger } from './logger.ts'
import type { Problem } from './open-tools.ts'
import type { ProjectConfigs } from './permission/project-configs.ts'
import type { Place } from './permission/rule-layers.ts'

export interface Hooks {
  /** Those that have a word in what runs in a workspace: the person's, and those of a project that is trusted. */
  of(place: Place): Hook[]
  problems(place: Place): Problem[]
}

export function openHooks(options: {
  home: string
  personHome: string
  config: ConfigFile
  projects: ProjectConfigs
  env: NodeJS.ProcessEnv
  logger: Logger
}): Hooks {
  const { home, personHome, config, projects, env, logger } = options
  /** The modules of a workspace, by whether it is trusted: Node keeps a module for the life of the process. */
  const loaded = new Map<string, ReturnType<typeof loadHooks>>()

  return {
    of(place) {
      const project = projects(place)
      const at = (base: string): { base: string; home: string } => ({ base, home: personHome })
      return [
        ...createHooks(config.get().hooks, { source: config.path, ...at(personHome), env }),
        ...(place.trusted ? createHooks(project.get()?.hooks, { source: project.path, ...at(place.path), env }) : []),
        ...modules(place).hooks,
      ]
    },
    problems: (place) => modules(place).problems,
  }

  function modules(place: Place): ReturnType<typeof loadHooks> {
    const key = `${place.trusted} ${place.path}`
    const known = loaded.get(key)
    if (known !== undefined) return known
    const folders = [path.join(home, 'hooks'), ...(place.trusted ? [path.join(place.path, '.troupe', 'hooks')] : [])]
    const found = loadHooks(folders, { base: place.path, home: personHome })
    const problems = found.problems.map(({ path: file, message }) => ({
      path: file,
      message: `${message} Every call is refused until it is put right.`,
    }))
    for (const problem of problems) {
      logger({ level: 'warn', ...problem, message: `a hook was not loaded: ${problem.message}` })
    }
    loaded.set(key, { hooks: found.hooks, problems })
    return { hooks: found.hooks, problems }
  }
}
