import type { Metadata } from './message.ts'

/** Deep merge of plain objects, as the AI SDK merges message metadata: later wins, arrays are replaced. */
export function mergeMetadata(base: Metadata | undefined, next: unknown): Metadata | undefined {
  if (next === undefined || next === null) return base
  if (base === undefined) return next
  return merge(base as Record<string, unknown>, next as Record<string, unknown>)
}

function merge(base: Record<string, unknown>, next: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base }
  for (const [key, value] of Object.entries(next)) {
    if (value === undefined || key === '__proto__' || key === 'constructor' || key === 'prototype') continue
    const old = merged[key]
    merged[key] = isPlainObject(old) && isPlainObject(value) ? merge(old, value) : value
  }
  return merged
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
