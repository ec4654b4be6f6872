import type { ErrorInfo, ProviderInfo } from '@troupe/protocol'
import { formatDuration } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'

export type { ProviderInfo } from '@troupe/protocol'

export interface ProviderPatch {
  /** Null removes it. */
  apiKey?: string | null
  baseURL?: string | null
  models?: string[] | null
  enabled?: boolean
}

export interface NewProvider {
  id: string
  type: 'openai-compatible'
  baseURL: string
  apiKey?: string
  models?: string[]
}

export type ProviderTest =
  | { ok: true; elapsedMs: number; how: 'list' | 'answer'; models?: { id: string }[] }
  | { ok: false; elapsedMs: number; error: ErrorInfo }

/** One line: that it can be used and by which key, or what is missing. */
export function providerStatus(provider: ProviderInfo): string {
  const { usable, enabled, problem, keySource, needsKey, models, local } = provider
  if (!enabled) return t.models.isOff
  if (!usable) return lacksKey(provider) ? t.models.noKeyYet : translateServerText(problem ?? t.models.unusable, 'text')
  const key =
    keySource === null
      ? needsKey || local
        ? undefined
        : t.models.needsNoKey
      : keySource === 'settings'
        ? t.models.keyFromSettings
        : t.models.keyFromEnvironment(keySource.replace(/^env:/, ''))
  const found = local ? t.models.foundHere : undefined
  return [found, key, models > 0 ? t.models.count(models) : undefined].filter(Boolean).join(' · ')
}

export function lacksKey({ usable, enabled, needsKey, keySource }: ProviderInfo): boolean {
  return !usable && enabled && needsKey && keySource === null
}

export function describeProviderTest(test: ProviderTest): string {
  if (!test.ok) return test.error.message
  const time = formatDuration(test.elapsedMs)
  if (test.how === 'answer') return t.models.answered(time)
  return t.models.works(test.models?.length ?? 0, time)
}

/** What can be used first; then what is switched off, those that a key is missing for, servers that were not found. */
export function sortProviders(providers: ProviderInfo[]): ProviderInfo[] {
  const rank = ({ usable, enabled, local }: ProviderInfo) => (usable ? 0 : !enabled ? 1 : local ? 3 : 2)
  return providers.filter(({ id }) => id !== 'demo').toSorted((one, other) => rank(one) - rank(other))
}

/** Its address is a matter of the person's. */
export function hasOwnAddress({ adapter, local }: ProviderInfo): boolean {
  return adapter === 'openai-compatible' || local
}
