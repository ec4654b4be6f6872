import { createHmac } from 'node:crypto'
import path from 'node:path'
import { loadFolderSync, redact } from '@troupe/core'
import { type ModelDefinition, NamedError } from '@troupe/protocol'
import { checkProvider, completeModel, type ProviderDefinition, type ProviderSettings } from './provider.ts'

export interface ConfiguredProvider {
  definition: ProviderDefinition
  apiKey?: string | undefined
  keySource: `env:${string}` | 'settings' | null
  baseURL?: string | undefined
  /** True if the address is the built-in one. */
  guessed: boolean
  headers?: Record<string, string> | undefined
  enabled: boolean
  inSettings: boolean
  restricted: boolean
  /** The reason it cannot be used and how to fix it, as a sentence. */
  problem?: string | undefined
}

interface ProviderSources {
  definitions: ReadonlyMap<string, ProviderDefinition>
  settings: Record<string, ProviderSettings>
  env: NodeJS.ProcessEnv
}

/** Returns undefined if neither a file nor the settings define the id. */
function configuredProvider(
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
    baseURLEnv: names.baseURLEnv ?? base.baseURLEnv,
    needsKey: base.needsKey && own?.baseURL === undefined,
    models: configuredModels(id, own, file ?? base),
  }
  const enabled = own?.enabled !== false
  const problem = !enabled
    ? `${definition.name} is turned off. Turn it on in Settings > Models and keys.`
    : !adapter
      ? `${definition.name} uses the adapter "${type}", which does not exist. Available adapters: ${adapterNames(definitions).join(', ')}.`
      : definition.needsKey && !apiKey
        ? `${definition.name} has no API key. Add one in Settings > Models and keys, or set ${names.env.join(' or ')} in the environment.`
        : !baseURL && definition.adapter === 'openai-compatible'
          ? `${definition.name} has no base URL. Add one in Settings > Models and keys, or set ${names.baseURLEnv ?? 'it'} in the environment.`
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

/** Identifies an address and account without revealing either. */
export function accountFingerprint({ definition, apiKey = '', baseURL = '' }: ConfiguredProvider): string {
  return createHmac('sha256', apiKey).update(`${definition.adapter} ${baseURL}`).digest('hex').slice(0, 8)
}

/** Finds an adapter by provider file or by SDK name. `custom` is the generic one. */
export function findAdapter(
  type: string,
  definitions: ReadonlyMap<string, ProviderDefinition>,
): ProviderDefinition | undefined {
  const named = definitions.get(type)
  if (named !== undefined) return named
  const custom = definitions.get('custom')
  return custom?.adapter === type ? custom : definitions.values().find((definition) => definition.adapter === type)
}

export function adapterNames(definitions: ReadonlyMap<string, ProviderDefinition>): string[] {
  return [...new Set([...definitions.values()].map((definition) => definition.adapter))].toSorted()
}

function missingPart(definition: ProviderDefinition): string | undefined {
  const missing = definition.missing?.()
  return missing === undefined ? undefined : `${definition.name} is not available: ${missing}`
}

function configuredModels(id: string, own: ProviderSettings | undefined, file: ProviderDefinition): ModelDefinition[] {
  const { params } = file
  const provider = { id, familyId: own?.familyId ?? file.familyId, params }
  if (!own?.models?.length) return file.models.map((model) => ({ ...model, provider: id }))
  const known = configured.get(own)
  if (known?.id === id && known.file === file) return known.models
  const models = own.models.map((entry) => {
    const model = typeof entry === 'string' ? { id: entry } : entry
    const known = file.models.find((candidate) => candidate.id === model.id)
    const said = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined))
    return completeModel({ ...known, ...said, id: model.id }, provider)
  })
  configured.set(own, { id, file, models })
  return models
}

/** By the settings, which are a new object when their file changes. */
const configured = new WeakMap<object, { id: string; file: ProviderDefinition; models: ModelDefinition[] }>()

/** `acme` has its key in `ACME_API_KEY`. */
function envName(id: string, what: string): string {
  return `${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_${what}`
}

interface ProviderDirectoryOptions {
  settings: () => Record<string, ProviderSettings>
  env: NodeJS.ProcessEnv
  folders?: string[]
  log?: (message: string) => void
}

/** All providers from files and settings. Reads the files on first use. */
interface ProviderDirectory {
  find: (id: string) => ConfiguredProvider | undefined
  all: () => ConfiguredProvider[]
  /** Returns the request address under the given settings. Default: the current ones. */
  addressOf: (id: string, settings?: Record<string, ProviderSettings>) => string | undefined
  definitions: () => ReadonlyMap<string, ProviderDefinition>
  problems: () => { path: string; message: string }[]
  redact: (text: string) => string
  keyNames: () => string[]
}

export function createProviderDirectory(options: ProviderDirectoryOptions): ProviderDirectory {
  const { env, settings } = options
  const folders = options.folders ?? [path.dirname(import.meta.dirname)]
  let registry:
    | { definitions: Map<string, ProviderDefinition>; problems: { path: string; message: string }[] }
    | undefined

  return {
    find: (id) => configured(id, settings()),
    all,
    addressOf: (id, given) => configured(id, given ?? settings())?.baseURL,
    definitions: () => load().definitions,
    problems: () => load().problems,
    redact: (text) => redact(text, secrets()),
    keyNames: () => [...new Set(all().flatMap((provider) => provider.definition.env))],
  }

  function configured(id: string, current: Record<string, ProviderSettings>): ConfiguredProvider | undefined {
    return configuredProvider(id, { definitions: load().definitions, settings: current, env })
  }

  function all(): ConfiguredProvider[] {
    const current = settings()
    const ids = new Set([...load().definitions.keys(), ...Object.keys(current)])
    return [...ids].map((id) => configured(id, current)).filter((provider) => provider !== undefined)
  }

  /** Yields every key, including overridden ones. Runs for each log line, so it does nothing else. */
  function* secrets(): Iterable<string> {
    for (const definition of load().definitions.values()) yield* definition.env.map(valueOf)
    for (const [id, { apiKey = '', headers = {} }] of Object.entries(settings())) {
      yield apiKey
      yield valueOf(envName(id, 'API_KEY'))
      for (const [name, value] of Object.entries(headers)) if (secretHeader.test(name)) yield value
    }
  }

  function valueOf(name: string): string {
    return env[name]?.trim() ?? ''
  }

  function load(): NonNullable<typeof registry> {
    if (registry) return registry
    const loaded = folders.map((folder) => loadFolderSync(folder, checkProvider))
    const problems = loaded.flatMap((folder) => folder.problems)
    for (const problem of problems) options.log?.(`provider file ${problem.path}: ${problem.message}`)
    const entries = loaded.flatMap((folder) => folder.entries)
    registry = { definitions: new Map(entries.map(({ name, value }) => [name, value])), problems }
    return registry
  }
}

const secretHeader = /auth|key|token|secret|cookie/i

export function providerNotFound(name: string, names: string[]): NamedError {
  const near = similarNames(name, names)
  const message = `There is no provider "${name}".${suggest(near)} Add it in Settings > Models and keys.`
  return new NamedError('ProviderNotFound', message, { status: 404, data: { provider: name, near } })
}

export function providerNotConfigured(
  { definition }: ConfiguredProvider,
  message: string,
  cause?: unknown,
): NamedError {
  return new NamedError('ProviderNotConfigured', message, {
    data: { provider: definition.id, env: definition.env, setting: `providers.${definition.id}` },
    cause,
  })
}

export function modelNotFound(wanted: string, message: string, names: string[]): NamedError {
  const similar = similarNames(wanted, names)
  const near = similar.length > 0 || names.length > 5 ? similar : names
  return new NamedError('ModelNotFound', `${message}${suggest(near)}`, { status: 404, data: { model: wanted, near } })
}

export function modelsUnavailable(problems: { path: string; message: string }[]): NamedError {
  const message = 'No model is available. Add an API key in Settings > Models and keys.'
  return new NamedError('ModelsUnavailable', message, { status: 503, data: { problems } })
}

function suggest(near: string[]): string {
  return near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
}

function similarNames(name: string, names: Iterable<string>, count = 5): string[] {
  const wanted = pairs(name)
  return [...new Set(names)]
    .map((candidate) => ({ candidate, score: likeness(wanted, pairs(candidate)) }))
    .filter(({ score }) => score > 0.35)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

function pairs(name: string): Set<string> {
  const plain = ` ${name.toLowerCase().replace(/[^a-z0-9]+/g, '')} `
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, index) => plain.slice(index, index + 2)))
}

function likeness(a: Set<string>, b: Set<string>): number {
  return (2 * a.intersection(b).size) / (a.size + b.size)
}
