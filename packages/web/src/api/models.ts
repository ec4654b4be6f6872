import type { ModelInfo } from '@troupe/protocol'

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

/** Groups models by provider in their original order. Keeps models that match every search word. */
export function groupModels(models: ModelInfo[], search: string): { provider: string; models: ModelInfo[] }[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const fits = (model: ModelInfo) => {
    const text = [model.ref, model.name, model.providerName, ...model.tags].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const groups = Map.groupBy(models.filter(fits), (model) => model.providerName)
  return [...groups].map(([provider, members]) => ({ provider, models: members }))
}
