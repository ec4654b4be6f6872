import { findSandbox } from '@troupe/core'
import { clearUnfinishedBackups } from '../admin/data-routes.ts'
import { openConfig } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import type { Governance, GovernanceOptions } from '../governance/governance.ts'
import { openModels } from '../models/open-models.ts'
import { createMeasuring } from '../operations/measuring.ts'
import { createLogger, type Logger } from '../util/logger.ts'
import { createFileGuard } from '../workspaces/file-guard.ts'
import { createFolderLanes, createFolderStates } from '../workspaces/folder-states.ts'
import { openStore } from './open-store.ts'
import { createRedaction } from './redaction.ts'
import type { ServerOptions } from './server.ts'

interface FoundationContext {
  home: Home
  env: NodeJS.ProcessEnv
  log: (text: string) => void
  /** Closes the service with the server. */
  closing: <T extends { close(): unknown }>(service: T) => T
  closers: (() => unknown)[]
}

/** Opens the services that all others use: config, log, store, models, sandbox. */
export async function openFoundation(options: ServerOptions, { home, env, log, closing, closers }: FoundationContext) {
  const startConfig = openConfig(home)
  const guard = closing(options.fileGuard ?? createFileGuard())
  const lanes = closing(createFolderLanes({ guard, ...options.folderLanes }))
  const folderStates = closing(createFolderStates(lanes, guard))
  const redaction = createRedaction(home.token, folderStates.responds)
  const isMeasured = options.team !== undefined || startConfig.get().metrics === true
  const measuring = createMeasuring({ isOn: isMeasured, logger: () => logger })
  const logger: Logger = createLogger({
    level: options.logLevel,
    write: log,
    redact: redaction.redact,
    onError: measuring.onError,
  })
  // Runs in a separate process while the store opens.
  const finding = options.sandbox ?? findSandbox({ troupeHome: home.path, env })
  const { store, copyTo, blobs, cluster } = await openStore({
    home: home.path,
    logger,
    cluster: options.cluster,
    closers,
    onQuery: measuring.onQuery,
  })
  await store.messages.purge()
  await clearUnfinishedBackups(home.path)
  const governance = await openTeamGovernance(options, {
    store,
    env,
    logger,
    redact: redaction.redact,
    onRequest: measuring.onRequest,
  })
  const config = governance?.config ?? startConfig
  if (governance !== undefined) closing(governance)
  const models = openModels(options, { home, env, config, governance })
  Object.assign(redaction.sources, { config, models, others: governance?.personKeys.known })
  return {
    blobs,
    cluster,
    config,
    copyTo,
    folderStates,
    governance,
    lanes,
    logger,
    measuring,
    models,
    redaction,
    sandbox: await finding,
    store,
  }
}

/** Loads the code of team mode only when it is used. */
async function openTeamGovernance(
  { team }: ServerOptions,
  given: Omit<GovernanceOptions, 'team'>,
): Promise<Governance | undefined> {
  if (team === undefined) return undefined
  const { openGovernance } = await import('../governance/open-governance.ts')
  return openGovernance({ ...given, team })
}
