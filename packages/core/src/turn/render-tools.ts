import { notationOf } from '../output/notation.ts'
import type { ToolRegistry } from './tool-registry.ts'

/** Tools as a model without calls of its own reads them: fields with their types, in the notation of outputs. */
export function renderTools(registry: ToolRegistry, tags: readonly string[]): Record<string, unknown>[] {
  return registry.list({ tags }).map(({ name, description, kwargs, returns }) => ({
    name,
    desc: description,
    kwargs: notationOf(kwargs),
    ...(returns !== undefined && { returns: notationOf(returns) }),
  }))
}
