import { createHmac } from 'node:crypto'
import { completeModel, type ModelDefinition, type ProviderDefinition, type ProviderSettings } from '../../provider.ts'

/** A provider as it stands: its file, what the settings say about it, its key and address. */
export interface ConfiguredProvider {
  definition: ProviderDefinition
  apiKey?: string | undefined
  keySource: KeySource | null
  baseURL?: string | undefined
  /** The address is the built-in one. */
  guessed: boolean
  headers?: Record<string, string> | undefined
  enabled: boolean
  inSettings: boolean
  /** Only the models that the settings list may be used. */
  restricted: boolean
  /** What keeps it from being used, as a sentence that says what to do. */
  problem?: string | undefined
}

export type KeySource = `env:${string}` | 'settings'

export interface ProviderSources {
  definitions: ReadonlyMap<string, ProviderDefinition>
  settings: Record<string, ProviderSettings>
  env: NodeJS.ProcessEnv
}

/** Undefined where neither a file nor the settings know the id. */
export function configuredProvider(
  id: string,
  { definitions, settings, env }: ProviderSources,
): ConfiguredProvider | undefined {
  const own = Object.hasOwn(settings, id) ? settings[id] : undefined
  const file = definitions.get(id)
  if (!own && !file) return undefined
  const type = own?.type ?? file?.id ?? 'openai-compatible'
  const adapter = file && (type === file.id || type === file.adapter) ? file : findAdapter(type, definitions)
  const base = adapter ?? file ?? definitions.get('custom')
  if (!base) return undefined

  const names = file
    ? { env: file.env, baseURLEnv: file.baseURLEnv }
    : { env: [envName(id, 'API_KEY')], baseURLEnv: envName(id, 'BASE_URL') }
  const envURL = names.baseURLEnv === undefined ? undefined : env[names.baseURLEnv]?.trim()
  const baseURL = own?.baseURL ?? (envURL ? (base.parseBaseURL?.(envURL) ?? envURL) : base.baseURL)
  const keyName = names.env.find((name) => env[name]?.trim())
  const apiKey = own?.apiKey || (keyName === undefined ? undefined : env[keyName]?.trim())
  const definition: ProviderDefinition = {
    ...base,
    id,
    name: own?.name ?? file?.name ?? id,
    familyId: own?.familyId ?? file?.familyId ?? base.familyId,
    env: names.env,
    ...(names.baseURLEnv !== undefined && { baseURLEnv: names.baseURLEnv }),
    needsKey: base.needsKey && own?.baseURL === undefined,
    models: configuredModels(id, own, file ?? base),
  }
  const enabled = own?.enabled !== false
  const problem = !enabled
    ? `${definition.name} is switched off. Switch it on in the settings under Models and keys.`
    : !adapter
      ? `${definition.name} names the adapter "${type}", which does not exist. There are: ${adapterNames(definitions).join(', ')}.`
      : definition.needsKey && !apiKey
        ? `${definition.name} has no key. Set ${names.env.join(' or ')} in the environment, or a key in the settings under Models and keys.`
        : !baseURL && definition.adapter === 'openai-compatible'
          ? `${definition.name} has no address. Set ${names.baseURLEnv ?? 'a base URL'} in the environment, or a base URL in the settings under Models and keys.`
          : missingPart(definition)
  return {
    definition,
    apiKey,
    keySource: own?.apiKey ? 'settings' : apiKey && keyName ? `env:${keyName}` : null,
    baseURL,
    guessed: own?.baseURL === undefined && !envURL,
    headers: own?.headers,
    enabled,
    inSettings: own !== undefined,
    restricted: (own?.models?.length ?? 0) > 0,
    problem,
  }
}

/** Names an address and an account, and gives away neither. */
export function accountFingerprint({ definition, apiKey = '', baseURL = '' }: ConfiguredProvider): string {
  return createHmac('sha256', apiKey).update(`${definition.adapter} ${baseURL}`).digest('hex').slice(0, 8)
}

/** Adapters are named by a provider's file or by the SDK that it uses; `custom` is the plain one of its kind. */
export function findAdapter(
  type: string,
  definitions: ReadonlyMap<string, ProviderDefinition>,
): ProviderDefinition | undefined {
  const same = [...definitions.values()].filter((definition) => definition.adapter === type)
  return definitions.get(type) ?? same.find((definition) => definition.id === 'custom') ?? same[0]
}

export function adapterNames(definitions: ReadonlyMap<string, ProviderDefinition>): string[] {
  return [...new Set([...definitions.values()].map((definition) => definition.adapter))].toSorted()
}

function missingPart(definition: ProviderDefinition): string | undefined {
  const missing = definition.missing?.()
  return missing === undefined ? undefined : `${definition.name} cannot be used: ${missing}`
}

function configuredModels(id: string, own: ProviderSettings | undefined, file: ProviderDefinition): ModelDefinition[] {
  const { params } = file
  const provider = { id, familyId: own?.familyId ?? file.familyId, ...(params && { params }) }
  if (!own?.models?.length) return file.models.map((model) => ({ ...model, provider: id }))
  return own.models.map((entry) => {
    const model = typeof entry === 'string' ? { id: entry } : entry
    const known = file.models.find((candidate) => candidate.id === model.id)
    const said = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined))
    return completeModel({ ...known, ...said, id: model.id }, provider)
  })
}

/** `acme` has its key in `ACME_API_KEY`. */
export function envName(id: string, what: string): string {
  return `${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_${what}`
}
