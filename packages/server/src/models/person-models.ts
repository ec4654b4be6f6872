import type { ProviderSettings } from '../providers/shared/provider.ts'
import type { Models } from './models.ts'

const maxPeople = 500

/** Adds `of`: the models of a person who has keys of their own. They win over the keys of the organization. */
export function withPersonModels(
  shared: Models,
  options: {
    keysOf(person: string): Promise<Record<string, ProviderSettings> | undefined>
    create(own: Record<string, ProviderSettings>): Models
  },
): Models {
  const known = new Map<string, { keys: Record<string, ProviderSettings>; models: Models }>()
  return {
    ...shared,
    async of(person) {
      const keys = await options.keysOf(person)
      if (keys === undefined) {
        known.delete(person)
        return shared
      }
      const before = known.get(person)
      if (before?.keys === keys) return before.models
      const models = options.create(keys)
      if (known.size >= maxPeople) known.delete(known.keys().next().value as string)
      known.set(person, { keys, models })
      return models
    },
  }
}
