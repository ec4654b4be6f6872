import type { TurnSpec } from './run-spec.ts'

/** What the model is told about the form of its answer. */
export function outputRequirement({ schema, words }: Pick<TurnSpec, 'schema' | 'words'>): string | undefined {
  if (schema === undefined) return words
  return `Data Format: JSON\nData Structure:\n${schema.notation}`
}
