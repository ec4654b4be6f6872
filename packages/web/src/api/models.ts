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

/** Models that match every search word, in their original order. */
export function findModels(models: ModelInfo[], search: string): ModelInfo[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return words.length === 0 ? models : models.filter((model) => words.every((word) => textOf(model).includes(word)))
}

/** Groups models by provider in their original order. Keeps models that match every search word. */
export function groupModels(models: ModelInfo[], search: string): { provider: string; models: ModelInfo[] }[] {
  const groups = Map.groupBy(findModels(models, search), providerNameOf)
  // The demo is for those without another model.
  return [...groups]
    .map(([provider, members]) => ({ provider, models: members }))
    .sort((one, other) => Number(isDemoGroup(one)) - Number(isDemoGroup(other)))
}

function isDemoGroup({ models: [first] }: { models: ModelInfo[] }): boolean {
  return isDemoModel(first?.ref)
}

const texts = new WeakMap<ModelInfo, string>()

/** Kept, because each key press in a search reads that of every model. */
function textOf(model: ModelInfo): string {
  const known = texts.get(model)
  if (known !== undefined) return known
  const text = [model.ref, modelName(model), providerNameOf(model), ...model.tags].join(' ').toLowerCase()
  texts.set(model, text)
  return text
}

export interface TypedModel {
  ref: string
  id: string
  provider: string
}

/** With more matches than this, the user probably searches for one of them. */
const fewMatches = 5

/**
 * Returns the models that a search text could name and that no provider lists: at each provider that accepts any ID, or
 * only at the one the text starts with.
 */
export function typedModels(
  typed: string,
  providers: readonly { id: string; name: string }[],
  matches: readonly Pick<ModelInfo, 'ref'>[],
): TypedModel[] {
  const text = typed.trim()
  if (matches.length > fewMatches || !/^[^\s"'<>\\]{3,200}$/.test(text) || !/[a-z0-9]/i.test(text)) return []
  const named = providers.find(({ id }) => text.startsWith(`${id}/`) && text.length > id.length + 1)
  const all = named === undefined ? providers : [named]
  return all.flatMap(({ id, name }) => {
    const own = named === undefined ? text : text.slice(id.length + 1)
    const ref = `${id}/${own}`
    return matches.some((match) => match.ref === ref) ? [] : [{ ref, id: own, provider: name }]
  })
}
