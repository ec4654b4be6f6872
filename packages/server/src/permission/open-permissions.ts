import { homedir } from 'node:os'
import path from 'node:path'
import type { Mode, SandboxFinding, Store } from '@troupe/core'
import type { ConfigFile } from '../config.ts'
import type { Logger } from '../logger.ts'
import { createPermissions, type Permissions } from './permissions.ts'
import { createProjectConfigs, type ProjectConfigs } from './project-configs.ts'
import { createRuleRegistry, type RuleRegistry } from './rule-book.ts'
import { openRuleLayers, type RuleLayers } from './rule-layers.ts'
import { createSessionGrants, type SessionGrants } from './session-grants.ts'

/** Everything that has a say in what may run, on one home. */
export interface PermissionParts {
  permissions: Permissions
  layers: RuleLayers
  grants: SessionGrants
  ruleBook: RuleRegistry
  projects: ProjectConfigs
  personHome: string
}

/** Set by whoever administers the machine; the person cannot move it. */
export const managedFile =
  process.platform === 'win32'
    ? path.join(process.env['ProgramData'] ?? 'C:\\ProgramData', 'troupe', 'config.json')
    : '/etc/troupe/config.json'

export function openPermissions(options: {
  store: Store
  home: string
  config: ConfigFile
  env: NodeJS.ProcessEnv
  managedFile: string
  allowBypass: boolean
  sandbox: SandboxFinding
  logger: Logger
  onMode: (sessionId: string, mode: Mode) => void
}): PermissionParts {
  const { store, home, config, allowBypass, logger, sandbox, onMode } = options
  const personHome = options.env['HOME'] || homedir()
  const projects = createProjectConfigs()
  const layers = openRuleLayers({
    home,
    personHome,
    config,
    projects,
    managedFile: options.managedFile,
    allowBypass,
  })
  const grants = createSessionGrants(store)
  const permissions = createPermissions({
    layers,
    grants,
    home,
    personHome,
    sandbox: sandbox.sandbox !== undefined,
    allowBypass,
    logger,
    onMode,
  })
  return { permissions, layers, grants, ruleBook: createRuleRegistry({ layers, grants }), projects, personHome }
}
