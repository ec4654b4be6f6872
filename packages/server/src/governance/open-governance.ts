import { openAudit } from './audit.ts'
import type { Governance, GovernanceOptions } from './governance.ts'
import { openLimits } from './limits.ts'
import { observeRequests } from './observe-requests.ts'
import { openPersonKeys } from './person-keys.ts'
import { openPolicies } from './policy.ts'
import { recordDecisions } from './record-decisions.ts'
import { openKeyRing } from './secret-keys.ts'
import { openSecrets } from './secrets.ts'
import { openTeamConfig } from './team-config.ts'
import { openTeamLogins } from './team-logins.ts'
import { openStoreSignal } from './store-signal.ts'
import { openTeamSettings } from './team-settings.ts'

export async function openGovernance(options: GovernanceOptions): Promise<Governance> {
  const { team, store, env, logger, redact, onRequest } = options
  const { db } = store
  const signal = await openStoreSignal(store)
  const audit = openAudit({ db, redact })
  const secrets = openSecrets({
    db,
    keys: await openKeyRing({ env: keysOf(team, env), db, kmsCommand: team.kmsCommand }),
  })
  const settings = openTeamSettings({ db, signal, logger })
  const policy = await openPolicies(settings)
  const personKeys = openPersonKeys({ secrets, signal, isAllowed: policy.allowsOwnKeys })
  return {
    audit,
    secrets,
    personKeys,
    policy,
    config: await openTeamConfig({ settings, secrets }),
    mcpLogins: await openTeamLogins({ settings, secrets, logger }),
    observe: ({ addressOf }) => observeRequests({ audit, logger, onRequest, addressOf }),
    onDecision: recordDecisions(audit, logger),
    limits: await openLimits({ db, settings }),
    personSources: [],
    rotators: [],
    async close() {
      await audit.close()
      settings.close()
      personKeys.close()
      await signal.close()
    },
  }
}

function keysOf({ secretKey, oldSecretKeys }: GovernanceOptions['team'], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    TROUPE_SECRET_KEY: secretKey,
    ...(oldSecretKeys !== undefined && { TROUPE_SECRET_KEYS_OLD: oldSecretKeys.join(',') }),
  }
}
