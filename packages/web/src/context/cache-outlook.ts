import type { ContextInfo } from '../api/context-info.ts'

/** Whether the next call starts like the newest one, so that its provider need not read that part anew. */
export type CacheOutlook =
  | { state: 'no-call' }
  | { state: 'same' }
  | { state: 'other-model' }
  /** `kept`: about how many tokens stand before what is different. */
  | { state: 'broken'; by: string; kept: number }

export function cacheOutlook({ cache, pieces }: ContextInfo): CacheOutlook {
  if (cache.lastCallAt === null) return { state: 'no-call' }
  if (cache.modelChanged) return { state: 'other-model' }
  if (cache.brokenBy === null) return { state: 'same' }
  if (cache.brokenBy === 'tools') return { state: 'broken', by: 'tools', kept: 0 }
  const at = pieces.findIndex(({ kind, name }) => kind === 'instructions' && name === cache.brokenBy)
  const kept = pieces.slice(0, Math.max(at, 0)).reduce((sum, { tokens }) => sum + tokens, 0)
  return { state: 'broken', by: cache.brokenBy, kept }
}
