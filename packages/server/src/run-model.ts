import type { FileKind, RunInput } from '@troupe/core'
import type { ResolvedModel } from './models.ts'
import type { ModelDefinition } from './provider.ts'

/** What a run is told of its model: what it can look at, how much it holds, what it costs. */
export function runModel({ definition, files = ['image', 'pdf'], ...found }: ResolvedModel): RunInput['model'] {
  const takes = supportedFiles(definition, files)
  return { ...found, ...(takes !== undefined && { takes }), ...modelLimits(definition) }
}

/** What of a model's definition is counted with. */
export function modelLimits({
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

/** Of a model that nothing is known of, what its provider's SDK can carry is tried. */
function supportedFiles(
  { tags, guessed }: ModelDefinition,
  files: readonly FileKind[],
): readonly FileKind[] | undefined {
  if (guessed === true) return files.includes('pdf') ? undefined : files
  return files.filter((kind) => tags.includes(kind === 'image' ? 'vision' : kind))
}
