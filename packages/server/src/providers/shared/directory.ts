import path from 'node:path'
import { loadFolderSync, redact } from '@troupe/core'
import { checkProvider, type ProviderDefinition, type ProviderSettings } from '../../provider.ts'
import { configuredProvider, envName, type ConfiguredProvider } from './configured-provider.ts'

export interface ProviderDirectoryOptions {
  settings: () => Record<string, ProviderSettings>
  env: NodeJS.ProcessEnv
  folders?: string[]
  log?: (message: string) => void
}

/** Every provider that there is, by its file or by the settings. Files are read on the first question. */
export interface ProviderDirectory {
  find: (id: string) => ConfiguredProvider | undefined
  all: () => ConfiguredProvider[]
  /** Where its requests go, with these settings or those that hold. */
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

  /** Every key, whether or not another one goes before it. Runs for each line of the log, so it asks nothing else. */
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
