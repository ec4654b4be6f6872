import type { ErrorInfo, ProviderInfo } from '@troupe/protocol'
import { formatDuration } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'

export type { ProviderInfo } from '@troupe/protocol'

export interface ProviderPatch {
  /** Null removes the key. */
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

export function providerStatus(provider: ProviderInfo): string {
  const { usable, enabled, problem, keySource, needsKey, models, local } = provider
  if (!enabled) return t.models.off
  if (!usable && lacksKey(provider)) return t.models.offers[provider.id] ?? t.models.noKeyYet
  if (!usable) return translateServerText(problem ?? t.models.unusable, 'text')
  const key =
    keySource === null
      ? needsKey || local
        ? undefined
        : t.models.needsNoKey
      : keySource === 'settings'
        ? t.models.keyFromSettings
        : t.models.keyFromEnvironment(keySource.replace(/^env:/, ''))
  const found = local ? t.models.foundLocally : undefined
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

/** Sorts usable providers first, then disabled ones, those without a key, those with a problem, and servers that were not found. */
export function sortProviders(providers: ProviderInfo[]): ProviderInfo[] {
  const rank = (provider: ProviderInfo) => {
    if (provider.usable) return 0
    if (!provider.enabled) return 1
    return provider.local ? 4 : lacksKey(provider) ? 2 : 3
  }
  return providers.filter(({ id }) => id !== 'demo').toSorted((one, other) => rank(one) - rank(other))
}

/** Returns the providers whose keys have this form. Several share one form, and then the user chooses. */
export function recognizeKey(key: string, providers: readonly ProviderInfo[]): ProviderInfo[] {
  return providers.filter(({ keyPattern }) => keyPattern !== null && new RegExp(keyPattern).test(key))
}

/** True if the user sets the provider's URL. */
export function hasOwnAddress({ adapter, local }: ProviderInfo): boolean {
  return adapter === 'openai-compatible' || local
}
