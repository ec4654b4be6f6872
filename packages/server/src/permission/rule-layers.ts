import path from 'node:path'
import { type Effect, type Mode, modes, type RuleLine, type Workspace } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { type Config, type ConfigFile, type ProjectConfigs, readConfig, readJsonFile } from '../config/config.ts'
import { writePrivately } from '../config/home.ts'
import { type WatchedFile, watchFile } from '../config/watched-file.ts'

export interface LayeredRule extends RuleLine {
  file: string
  /** False for files edited by hand: the administrator's and the project's. */
  editable: boolean
}

export type RuleTexts = { [E in Effect]?: string[] | undefined }
export type RememberScope = 'session' | 'project' | 'always'
export type PolicyWorkspace = Pick<Workspace, 'path' | 'trusted'>

/** The rules in files. Every call reads the current files. */
export interface RuleLayers {
  rules(workspace: PolicyWorkspace): LayeredRule[]
  warnings(workspace: PolicyWorkspace): string[]
  /** Names a file that was never readable. Its deny rules are unknown, so nothing may run without approval. */
  unknown(workspace: PolicyWorkspace): string | undefined
  mode(workspace: PolicyWorkspace): Mode
  /** Changes the user's rules for this project or for all. Throws `BadConfig` instead of losing data. */
  change(
    workspace: PolicyWorkspace,
    scope: 'project' | 'always',
    change: (rules: RuleTexts) => RuleTexts,
  ): Promise<void>
}

const effects: readonly Effect[] = ['deny', 'ask', 'allow']
const texts = z.array(z.string().min(1).max(2000)).max(10_000).optional()

/**
 * `rules.json`: the user's rules by project folder. Stored in the home, so a project cannot grant itself permissions.
 */
const rulesFileSchema = z.record(z.string(), z.looseObject({ allow: texts, ask: texts, deny: texts }))
type RulesFile = z.infer<typeof rulesFileSchema>

export function openRuleLayers(options: {
  /** The Troupe home, not the user's home folder. */
  home: string
  /** Base of `/` in user and machine rules. */
  personHome: string
  config: ConfigFile
  projects: ProjectConfigs
  managedFile: string
  allowBypass: boolean
}): RuleLayers {
  const { home, personHome, config, projects, allowBypass } = options
  const managed = watchFile(options.managedFile, readConfig)
  const remembered = watchFile(path.join(home, 'rules.json'), readRulesFile)
  // The machine's and the user's files must be readable at startup.
  for (const file of [managed, remembered]) {
    const problem = file.problem()
    if (problem !== undefined) throw problem
  }

  return {
    rules(workspace) {
      const project = projects(workspace)
      const own = remembered.get()
      return [
        ...layerLines(managed.get()?.permissions, { layer: 'managed', base: personHome, file: managed.path }),
        ...layerLines(config.get().permissions, { layer: 'user', base: personHome, file: config.path, editable: true }),
        ...layerLines(workspace.trusted ? project.get()?.permissions : undefined, {
          layer: 'project',
          base: workspace.path,
          file: project.path,
        }),
        ...layerLines(Object.hasOwn(own ?? {}, workspace.path) ? own?.[workspace.path] : undefined, {
          layer: 'project',
          base: workspace.path,
          file: remembered.path,
          editable: true,
        }),
      ]
    },
    warnings(workspace) {
      const project = projects(workspace)
      const broken = [managed, remembered, ...(workspace.trusted ? [project] : [])].flatMap((file) => {
        const problem = file.problem()
        if (problem === undefined) return []
        return `${problem.message} ${file.get() === undefined ? 'Until it is fixed, everything needs approval.' : 'Its previous rules still apply.'}`
      })
      const modeWarnings = [managed, config, ...(workspace.trusted ? [project] : [])].flatMap((file) => {
        const given = file.get()?.permissions?.mode
        const why = given === undefined ? undefined : refusal(given, file === project)
        return why === undefined ? [] : `${file.path}: the mode "${given}" ${why}.`
      })
      const held =
        !workspace.trusted && layerLines(readQuietly(project)?.permissions, { file: project.path }).length > 0
      return [
        ...broken,
        ...modeWarnings,
        ...(held ? [`${project.path} has rules. They apply once you trust the folder: troupe trust`] : []),
      ]
    },
    unknown(workspace) {
      if (!workspace.trusted) return undefined
      const project = projects(workspace)
      return project.get() === undefined ? project.problem()?.message : undefined
    },
    mode(workspace) {
      const project = projects(workspace)
      const wanted = [
        managed.get()?.permissions?.mode,
        ...(workspace.trusted ? [usable(project.get()?.permissions?.mode, true)] : []),
        config.get().permissions?.mode,
      ]
      return wanted.map((mode) => usable(mode, false)).find((mode) => mode !== undefined) ?? 'default'
    },
    async change(workspace, scope, change) {
      if (scope === 'always')
        return config.update((current) => ({
          ...current,
          permissions: { ...current.permissions, ...change(current.permissions ?? {}) },
        }))
      const current = readRulesFile(remembered.path)
      const own = Object.hasOwn(current, workspace.path) ? current[workspace.path] : undefined
      const next = { ...current, [workspace.path]: { ...own, ...change(own ?? {}) } }
      writePrivately(remembered.path, `${JSON.stringify(next, null, 2)}\n`)
    },
  }

  function usable(mode: string | undefined, ofProject: boolean): Mode | undefined {
    return mode === undefined || refusal(mode, ofProject) !== undefined ? undefined : (mode as Mode)
  }

  function refusal(mode: string, ofProject: boolean): string | undefined {
    if (!modes.some((known) => known === mode)) return `is not one of ${modes.join(', ')}`
    if (mode !== 'bypass') return undefined
    if (ofProject) return 'cannot be set by a project'
    return allowBypass ? undefined : 'requires a server started with --allow-bypass'
  }
}

function layerLines(
  permissions: RuleTexts | undefined,
  given: Pick<LayeredRule, 'file'> & Partial<LayeredRule>,
): LayeredRule[] {
  const { layer = 'project', base = '', file, editable = false } = given
  return effects.flatMap((effect) =>
    (permissions?.[effect] ?? []).map((text) => ({ text, effect, layer, base, file, editable })),
  )
}

/** An untrusted project has no effect, so its problems are not reported. */
function readQuietly(file: WatchedFile<Config>): Config | undefined {
  return file.problem() === undefined ? file.get() : undefined
}

function readRulesFile(file: string): RulesFile {
  const value = readJsonFile(file)
  if (value === undefined) return {}
  const result = rulesFileSchema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
  )
  throw new NamedError('BadConfig', `${file}: ${issues.slice(0, 5).join('; ')}.`, { data: { file, issues } })
}
