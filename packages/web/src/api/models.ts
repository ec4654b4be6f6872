import type { ModelInfo } from '@troupe/protocol'
import { translateServerText } from '../texts/server-texts.ts'

export type { ModelInfo } from '@troupe/protocol'

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
