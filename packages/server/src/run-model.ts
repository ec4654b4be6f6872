import type { RunInput } from '@troupe/core'
import type { ModelDefinition } from './provider.ts'

/** What a run is told of its model: what it can look at, how much it holds, what it costs. */
export function runModel({
  definition,
  ...found
}: Pick<RunInput['model'], 'id' | 'model'> & { definition: ModelDefinition }): RunInput['model'] {
  return { ...found, takes: takenBy(definition.tags), ...windowOf(definition) }
}

/** What of a model's definition is counted with. */
export function windowOf({
  contextWindow,
  maxOutputTokens,
  price,
}: ModelDefinition): Pick<RunInput['model'], 'contextWindow' | 'maxOutputTokens' | 'price'> {
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(price !== undefined && { price: { ...price } }),
  }
}

function takenBy(tags: readonly string[]): ('image' | 'pdf')[] {
  return [...(tags.includes('vision') ? (['image'] as const) : []), ...(tags.includes('pdf') ? (['pdf'] as const) : [])]
}
