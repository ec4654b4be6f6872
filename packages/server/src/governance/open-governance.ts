import type { Store } from '@troupe/core'
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
import { openTeamRules } from './team-rules.ts'
import { type ChangeSignal, openTeamSettings } from './team-settings.ts'

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
  const rules = await openTeamRules(settings)
  return {
    audit,
    secrets,
    personKeys,
    rules,
    policy,
    config: await openTeamConfig({ settings, secrets }),
    mcpLogins: await openTeamLogins({ settings, secrets, logger }),
    observe: ({ addressOf }) => observeRequests({ audit, logger, onRequest, addressOf }),
    onDecision: recordDecisions(audit, logger),
    limits: await openLimits({ db, settings }),
    personSources: [rules],
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

const signalChannel = 'team'
/** Topic after an interruption, during which signals may have been lost. */
const everything = '*'

/** The signals of the database, which reach all nodes. */
async function openStoreSignal(store: Pick<Store, 'signals'>): Promise<ChangeSignal & { close(): Promise<void> }> {
  const listeners = new Set<(topic: string) => void>()
  const tell = (topic: string): void => listeners.forEach((listener) => listener(topic))
  const close = await store.signals.listen(signalChannel, { onSignal: tell, onReconnect: () => tell(everything) })
  return {
    publish: (topic) => store.signals.notify(signalChannel, topic),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close,
  }
}
