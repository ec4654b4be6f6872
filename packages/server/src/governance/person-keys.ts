import type { ProviderSettings } from '../providers/shared/provider.ts'
import type { Secrets } from './secrets.ts'
import type { ChangeSignal } from './team-settings.ts'

/** Provider keys that belong to people. A person's own key wins in their runs, and nobody else can see it. */
export interface PersonKeys {
  /** The same object until it changes. Undefined if the person has no keys, or may not use them. */
  of(person: string): Promise<Record<string, ProviderSettings> | undefined>
  /** Ids of providers. */
  list(person: string): Promise<string[]>
  /** Without a key, deletes it. */
  set(person: string, provider: string, apiKey: string | undefined): Promise<void>
  /** Keys in memory, to be removed from texts. */
  known(): string[]
  close(): void
}

const prefix = 'provider/'
const topic = 'person-keys '
/** A lost signal delays a change by at most this. */
const freshMs = 30_000
const maxCached = 2000

export function openPersonKeys(options: {
  secrets: Secrets
  signal: ChangeSignal
  /** The policy may forbid them. Stored keys are then kept, but not used. */
  isAllowed?: () => boolean
  clock?: () => number
}): PersonKeys {
  const { secrets, signal, isAllowed = () => true, clock = Date.now } = options
  const cached = new Map<string, { at: number; keys: Record<string, ProviderSettings> | undefined; text: string }>()
  const unsubscribe = signal.subscribe((changed) => {
    if (changed === '*') for (const entry of cached.values()) entry.at = 0
    if (!changed.startsWith(topic)) return
    const entry = cached.get(changed.slice(topic.length))
    if (entry !== undefined) entry.at = 0
  })

  return {
    async of(person) {
      if (!isAllowed()) return undefined
      const known = cached.get(person)
      if (known !== undefined && clock() - known.at < freshMs) return known.keys
      const at = clock()
      const found = await secrets.list(person, prefix)
      const text = JSON.stringify([...found])
      if (known?.text === text) {
        known.at = at
        return known.keys
      }
      const entries = [...found].map(([name, apiKey]) => [name.slice(prefix.length), { apiKey, enabled: true }])
      const keys = found.size === 0 ? undefined : (Object.fromEntries(entries) as Record<string, ProviderSettings>)
      if (cached.size >= maxCached) cached.delete(cached.keys().next().value as string)
      cached.set(person, { at, keys, text })
      return keys
    },
    list: async (person) => [...(await secrets.list(person, prefix)).keys()].map((name) => name.slice(prefix.length)),
    async set(person, provider, apiKey) {
      await secrets.set(person, prefix + provider, apiKey)
      await signal.publish(topic + person)
    },
    known: () => [...cached.values()].flatMap(({ keys = {} }) => Object.values(keys).map(({ apiKey }) => apiKey ?? '')),
    close: unsubscribe,
  }
}
