/** A model as `GET /ai/models` lists it, as far as the page uses it. */
export interface ModelInfo {
  /** `provider/model`: what a request names. */
  ref: string
  id: string
  name: string
  provider: string
  providerName: string
  usable: boolean
  tags: string[]
  contextWindow?: number
  maxOutputTokens?: number
  familyId?: string
  /** US dollars per million tokens. */
  price?: { input: number; output: number }
  capabilities?: { common?: Record<string, unknown>; params?: unknown }
}

export interface ModelList {
  models: ModelInfo[]
  /** What is used when nothing is named. */
  defaultModel: string | null
}

/** Requests to begin with, where the model brings some: in the language with this tag (`examplesZh`), else in English. */
export function examplesOf(model: ModelInfo | undefined, tag = 'en'): string[] {
  const common = model?.capabilities?.common
  const examples = common?.[`examples${tag.charAt(0).toUpperCase()}${tag.slice(1)}`] ?? common?.['examples']
  return Array.isArray(examples) ? examples.filter((example) => typeof example === 'string') : []
}

export function isDemo(ref: string | undefined): boolean {
  return ref?.startsWith('demo/') === true
}

/** By provider, in the order in which they come; those that fit all words of the search. */
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
