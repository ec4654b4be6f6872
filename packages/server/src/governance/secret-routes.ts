import { NamedError, secretEndpoints } from '@troupe/protocol'
import type { Principal } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import type { Models } from '../models/models.ts'
import { type Governance, inTeam } from './governance.ts'

export function secretRoutes(services: { governance?: Governance | undefined; models: Models }): Route[] {
  return implement(secretEndpoints, {
    'POST /ai/secrets/rotate': async () => {
      const { secrets, rotators } = inTeam(services.governance)
      const total = await secrets.rotate()
      for (const rotate of rotators) {
        const { rotated, unreadable } = await rotate()
        total.rotated += rotated
        total.unreadable += unreadable
      }
      return total
    },
    'GET /ai/me/keys': async ({ principal }) => {
      const { personKeys } = inTeam(services.governance)
      return { providers: await personKeys.list(personOf(principal)) }
    },
    'POST /ai/me/keys': async ({ principal, body: { provider, apiKey } }) => {
      const { personKeys } = inTeam(services.governance)
      const person = personOf(principal)
      if (services.models.getProviderDefinition(provider) === undefined)
        throw new NamedError('ProviderNotFound', `There is no provider "${provider}".`, { status: 404 })
      await personKeys.set(person, provider, apiKey)
      return { providers: await personKeys.list(person) }
    },
    'DELETE /ai/me/keys/:provider': async ({ principal, params }) => {
      const { personKeys } = inTeam(services.governance)
      const person = personOf(principal)
      await personKeys.set(person, params.provider, undefined)
      return { providers: await personKeys.list(person) }
    },
  })
}

function personOf(principal: Principal): string {
  if (principal.kind === 'person') return principal.person.id
  throw new NamedError('NoPerson', 'Sign in as a person to do this.', { status: 403 })
}
