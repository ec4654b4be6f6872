import { NamedError } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import type { RequestObserver, RequestOutcome } from '../http/observe.ts'
import type { Ctx } from '../http/route.ts'
import type { LoginStore } from '../mcp/oauth-logins.ts'
import type { SeenDecision } from '../runs/run-services.ts'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import type { Logger } from '../util/logger.ts'
import type { Audit } from './audit.ts'
import type { TeamLimits } from './limits.ts'
import type { PersonSource } from './person-data.ts'
import type { PersonKeys } from './person-keys.ts'
import type { TeamPolicies } from './policy.ts'
import type { Secrets } from './secrets.ts'

export interface GovernanceOptions {
  team: { secretKey: string; oldSecretKeys?: readonly string[]; kmsCommand?: readonly string[] }
  store: SqlStore
  env: NodeJS.ProcessEnv
  logger: Logger
  redact: (text: string) => string
  onRequest?: (outcome: RequestOutcome) => void
}

/** Services of an organization besides accounts: settings, secrets, policy, limits and the audit log. */
export interface Governance {
  audit: Audit
  secrets: Secrets
  config: ConfigFile
  personKeys: PersonKeys
  policy: TeamPolicies
  mcpLogins: LoginStore
  /** `addressOf`: the caller's address, also behind a trusted proxy. */
  observe(given: { addressOf?: ((c: Ctx) => string | undefined) | undefined }): RequestObserver
  /** Records a decision about a tool call. */
  onDecision(seen: SeenDecision): void
  limits: TeamLimits
  /** Parts of the server that hold data of people. Each adds itself. */
  personSources: PersonSource[]
  /** Parts of the server that encrypt things themselves, with keys from the secret key. Each adds itself. */
  rotators: (() => Promise<{ rotated: number; unreadable: number }>)[]
  close(): Promise<void>
}

/** Throws `NotTeam` (404) outside team mode. */
export function inTeam(governance: Governance | undefined): Governance {
  if (governance !== undefined) return governance
  throw new NamedError('NotTeam', 'This is only available in team mode.', { status: 404 })
}
