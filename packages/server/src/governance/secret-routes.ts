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
    'GET /ai/me/keys': ({ principal }) => {
      inTeam(services.governance)
      return ownKeys(personOf(principal))
    },
    'POST /ai/me/keys': async ({ principal, body: { provider, apiKey } }) => {
      const { personKeys, policy } = inTeam(services.governance)
      const person = personOf(principal)
      if (!policy.allowsOwnKeys())
        throw new NamedError('OwnKeysForbidden', 'Your organization does not allow personal keys.', { status: 403 })
      if (services.models.getProviderDefinition(provider) === undefined)
        throw new NamedError('ProviderNotFound', `There is no provider "${provider}".`, { status: 404 })
      await personKeys.set(person, provider, apiKey)
      return ownKeys(person)
    },
    'DELETE /ai/me/keys/:provider': async ({ principal, params }) => {
      const { personKeys } = inTeam(services.governance)
      const person = personOf(principal)
      await personKeys.set(person, params.provider, undefined)
      return ownKeys(person)
    },
  })

  async function ownKeys(person: string) {
    const { personKeys, policy } = inTeam(services.governance)
    const providers = (await services.models.listProviders())
      .filter(({ needsKey, local, enabled }) => needsKey && !local && enabled)
      .toSorted((one, other) => Number(other.popular) - Number(one.popular) || one.name.localeCompare(other.name))
    return {
      allowed: policy.allowsOwnKeys(),
      providers: await personKeys.list(person),
      available: providers.map(({ id, name, keyURL }) => ({ id, name, keyURL })),
    }
  }
}

function personOf(principal: Principal): string {
  if (principal.kind === 'person') return principal.person.id
  throw new NamedError('NoPerson', 'Sign in as a person to do this.', { status: 403 })
}
