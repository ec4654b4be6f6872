import type { ModelInfo } from '@troupe/protocol'
import { translateServerText } from '../texts/server-texts.ts'

export type { ModelInfo } from '@troupe/protocol'

/** Example requests of the model, in the language of the tag (`examplesZh`) or else in English. */
export function exampleRequests(model: ModelInfo | undefined, tag = 'en'): string[] {
  const common = model?.capabilities?.common as Record<string, unknown> | undefined
  const examples = common?.[`examples${tag.charAt(0).toUpperCase()}${tag.slice(1)}`] ?? common?.['examples']
  return Array.isArray(examples) ? examples.filter((example) => typeof example === 'string') : []
}

export function isDemoModel(ref: string | undefined): boolean {
  return ref?.startsWith('demo/') === true
}

/** Returns the name to show. Only the demo models' names are translated. */
export function modelName({ ref, name }: Pick<ModelInfo, 'ref' | 'name'>): string {
  return isDemoModel(ref) ? translateServerText(name, 'text') : name
}

/** Returns the provider's name to show, as `modelName` does. */
export function providerNameOf({ ref, providerName }: Pick<ModelInfo, 'ref' | 'providerName'>): string {
  return modelName({ ref, name: providerName })
}

/** Groups models by provider in their original order. Keeps models that match every search word. */
export function groupModels(models: ModelInfo[], search: string): { provider: string; models: ModelInfo[] }[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const fits = (model: ModelInfo) => {
    const text = [model.ref, modelName(model), providerNameOf(model), ...model.tags].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const groups = Map.groupBy(models.filter(fits), providerNameOf)
  return [...groups].map(([provider, members]) => ({ provider, models: members }))
}
