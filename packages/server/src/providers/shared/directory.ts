import path from 'node:path'
import { loadFolderSync, redact } from '@troupe/core'
import { checkProvider, type ProviderDefinition, type ProviderSettings } from '../../provider.ts'
import { configuredProvider, type ConfiguredProvider } from './configured-provider.ts'

export interface DirectoryOptions {
  settings: () => Record<string, ProviderSettings>
  env: NodeJS.ProcessEnv
  folders?: string[]
  log?: (message: string) => void
}

/** Every provider that there is, by its file or by the settings. Files are read on the first question. */
export interface Directory {
  find: (id: string) => ConfiguredProvider | undefined
  all: () => ConfiguredProvider[]
  definitions: () => ReadonlyMap<string, ProviderDefinition>
  problems: () => { path: string; message: string }[]
  redact: (text: string) => string
  keyNames: () => string[]
}

export function createDirectory(options: DirectoryOptions): Directory {
  const { env, settings } = options
  const folders = options.folders ?? [path.dirname(import.meta.dirname)]
  let registry:
    | { definitions: Map<string, ProviderDefinition>; problems: { path: string; message: string }[] }
    | undefined

  return {
    find,
    all,
    definitions: () => load().definitions,
    problems: () => load().problems,
    redact: (text) => redact(text, all().flatMap(secretsOf)),
    keyNames: () => [...new Set(all().flatMap((provider) => provider.definition.env))],
  }

  function find(id: string): ConfiguredProvider | undefined {
    return configuredProvider(id, { definitions: load().definitions, settings: settings(), env })
  }

  function all(): ConfiguredProvider[] {
    const ids = new Set([...load().definitions.keys(), ...Object.keys(settings())])
    return [...ids].map(find).filter((provider) => provider !== undefined)
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

  function secretsOf({ apiKey = '', headers = {}, definition }: ConfiguredProvider): string[] {
    const inHeaders = Object.entries(headers).filter(([name]) => /auth|key|token|secret|cookie/i.test(name))
    return [apiKey, ...inHeaders.map(([, value]) => value), ...definition.env.map((name) => env[name]?.trim() ?? '')]
  }
}
