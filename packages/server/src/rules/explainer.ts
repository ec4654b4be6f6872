import { homedir } from 'node:os'
import {
  compileRules,
  type Decision,
  explainCall,
  findSandbox,
  type Mode,
  modes,
  placeContext,
  type Policy,
} from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { createProjectConfigs, openConfig } from '../config/config.ts'
import { openTools } from '../extensions/workspace-extensions.ts'
import { managedFile, ruleLines } from '../permission/permissions.ts'
import { openRuleLayers, type RuleTexts } from '../permission/rule-layers.ts'
import { checkRule } from '../permission/rule-registry.ts'
import { isTrusted } from '../stores/sqlite.ts'

/** Explains decisions about calls in a folder from the files of a home. Needs no server and changes nothing. */
export interface Explainer {
  explain(call: { tool: string; input: unknown }): Decision | Promise<Decision>
  policy: Policy
  warnings: string[]
  /** Tool files that failed to load. Their tools count as unknown. */
  problems: string[]
}

export async function openExplainer(options: {
  home: string
  workspace: string
  env: NodeJS.ProcessEnv
  rules?: RuleTexts
  mode?: string
  /** Default: the detected sandbox. */
  sandbox?: boolean
}): Promise<Explainer> {
  const { home, env, workspace } = options
  const personHome = env['HOME'] || homedir()
  const place = { path: workspace, trusted: isTrusted(home, workspace) }
  const layers = openRuleLayers({
    home,
    personHome,
    config: openConfig({ path: home }),
    projects: createProjectConfigs(),
    managedFile,
    allowBypass: true,
  })
  const problems: string[] = []
  const loaded = openTools({ home, logger: ({ message, path }) => void problems.push(`${String(path)}: ${message}`) })
  loaded.load({ ...place, id: workspace, createdAt: 0 })
  const tools = loaded.list(workspace)
  const unreadable = layers.unreadable(place)
  const policy: Policy = {
    mode: options.mode === undefined ? layers.mode(place) : parseMode(options.mode),
    rules: compileRules([...layers.rules(place), ...ruleLines(checked(options.rules ?? {}), 'flag', workspace)]),
    sandbox: options.sandbox ?? (await findSandbox({ troupeHome: home, env })).sandbox !== undefined,
    home: personHome,
    troupeHome: home,
    unreadable,
  }
  const ctx = placeContext(workspace)
  return {
    policy,
    explain: (call) => explainCall(call, tools, ctx, policy),
    problems,
    warnings: [
      ...layers.warnings(place),
      ...policy.rules.problems.map(({ line, message }) => `The rule "${line.text}" is invalid: ${message}`),
    ],
  }
}

function parseMode(name: string): Mode {
  const mode = modes.find((known) => known === name)
  if (mode !== undefined) return mode
  throw new NamedError('UnknownMode', `There is no mode "${name}". Available modes: ${modes.join(', ')}.`)
}

function checked({ allow = [], ask = [], deny = [] }: RuleTexts): RuleTexts {
  return { allow: allow.map(checkRule), ask: ask.map(checkRule), deny: deny.map(checkRule) }
}
