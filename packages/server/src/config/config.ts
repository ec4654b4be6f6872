import { chmodSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { hooksConfigSchema, mcpServersSchema, modes } from '@troupe/core'
import { configFields, configListSchema, mcpEntrySchema, NamedError, publishSchema } from '@troupe/protocol'
import { z } from 'zod'
import { providerSettingsSchema } from '../providers/shared/provider.ts'
import { type Connections, connectionsSchema } from '../query/connections.ts'
import { findJsonError } from '../util/json.ts'
import { accountFields } from './account-settings.ts'
import { writePrivately } from './home.ts'
import { nodeSchema } from './node-settings.ts'
import { isolationFields } from './team-settings.ts'

/** `config.json`, with the same schema in the home and in a project. Unknown keys are kept and reported as warnings. */
export const configSchema = z.looseObject({
  $schema: z.string().optional(),
  model: configFields.model.optional(),
  providers: z
    .record(z.string(), z.looseObject(providerSettingsSchema.shape))
    .optional()
    .describe('by provider id; the keys of well-known providers may also come from the environment'),
  permissions: z
    .looseObject({
      mode: z
        .string()
        .max(50)
        .optional()
        .meta({ enum: [...modes] })
        .describe('the mode of new sessions; bypass only where the server was started with --allow-bypass'),
      allow: configListSchema.optional().describe('what runs without a question, e.g. "Bash(npm test)"'),
      ask: configListSchema.optional().describe('what always asks'),
      deny: configListSchema.optional().describe('tool calls that never run, even if allow or ask matches them too'),
    })
    .optional(),
  useTools: configFields.useTools.optional(),
  roots: configListSchema
    .optional()
    .describe('where pages may open folders; default: ["~"]. Folders opened from the command line are always included'),
  disabledAgents: configListSchema.optional().describe('built-in agents and those of files that are turned off'),
  disabledSkills: configListSchema.optional().describe('skills that are turned off'),
  hooks: hooksConfigSchema.optional().describe('commands of yours that have a word in what runs'),
  // Each entry is validated on use, so one invalid entry does not reject the file.
  mcpServers: mcpServersSchema
    .optional()
    .meta({ additionalProperties: z.toJSONSchema(mcpEntrySchema, { target: 'draft-7' }) })
    .describe('MCP servers by their names: {command, args, env} or {url, headers}'),
  recovery: configFields.recovery.optional(),
  titles: configFields.titles.optional(),
  describeImages: configFields.describeImages.optional(),
  limits: z.looseObject(configFields.limits).partial().optional(),
  budget: z.looseObject(configFields.budget).partial().optional(),
  media: z.looseObject(configFields.media).partial().optional(),
  browser: z.looseObject(configFields.browser).partial().optional(),
  search: z.looseObject(configFields.search).partial({ baseURL: true, apiKey: true }).optional(),
  worktrees: z
    .record(z.string().max(4096), z.looseObject({ setup: z.string().max(2000).optional() }))
    .optional()
    .describe('commands that prepare new worktrees, by folder'),
  languageServers: z
    .record(
      z.string().max(50),
      z.looseObject({
        disabled: z.boolean().optional(),
        command: z.array(z.string().max(2000)).min(1).max(50).optional().describe('the program and its arguments'),
      }),
    )
    .optional()
    .describe('language servers by name (typescript, python, go, rust, clang): turned off, or with another program'),
  connections: connectionsSchema,
  team: z
    .looseObject({ ...accountFields, ...isolationFields, node: nodeSchema })
    .optional()
    .describe('settings of a server that several people use'),
  metrics: z.boolean().optional().describe('serve metrics for Prometheus at /metrics, to this machine'),
  publish: publishSchema.optional().describe('where chats are published: a folder or a bucket'),
})
export type Config = z.infer<typeof configSchema>

export interface ConfigFile {
  path: string
  /** The config in this turn of the event loop. While a changed file is unreadable, returns the previous one. */
  get(): Config
  /** Read errors, corrected problems and unknown keys, as sentences. */
  warnings(): string[]
  /**
   * Applies `change` to the current file and writes it. Throws `BadConfig` instead of overwriting an unreadable file.
   */
  update(change: (config: Config) => Config): Promise<void>
}

/** Opens the home's `config.json`, which may be missing. Makes a file with keys private. Throws `BadConfig`. */
export function openConfig(home: { path: string }): ConfigFile {
  const file = path.join(home.path, 'config.json')
  let exposed: string | undefined
  const watched = watchFile(file, () => {
    const config = readConfig(file)
    exposed = keepPrivate(file, config) ?? exposed
    return config
  })
  const first = watched.get()
  if (first === undefined) throw watched.problem() as NamedError
  /** Looked at once per turn of the event loop, since a message asks for its settings dozens of times. */
  let seen: Config | undefined
  const current = (): Config => {
    if (seen !== undefined) return seen
    setImmediate(() => (seen = undefined))
    return (seen = watched.get() ?? first)
  }
  return {
    path: file,
    get: current,
    warnings() {
      const config = current()
      const problem = watched.problem()
      return [
        ...(problem === undefined ? [] : [problem.message]),
        ...(exposed === undefined ? [] : [exposed]),
        ...unknownKeys(config).map((key) => `${file}: "${key}" is not a known setting.`),
      ]
    },
    update(change) {
      return Promise.try(() => {
        const next = checkConfig(change(readConfig(file)), file)
        writePrivately(file, `${JSON.stringify(next, null, 2)}\n`)
        seen = undefined
      })
    },
  }
}

/** Returns `{}` if there is no file. Throws `BadConfig` with the file and position. */
export function readConfig(file: string): Config {
  const value = readJsonFile(file)
  return value === undefined ? {} : checkConfig(value, file)
}

/** Returns undefined if there is no file. Throws `BadConfig` with the file and position. */
export function readJsonFile(file: string): unknown {
  let text: string
  try {
    // Reading a pipe or a device could block forever.
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new NamedError('BadConfig', `${file} could not be read: ${(error as Error).message}.`, {
      data: { file },
      cause: error,
    })
  }
  return parseJsonFile(text, file)
}

/** Throws `BadConfig` with the file and position. */
export function parseConfig(text: string, file: string): Config {
  return checkConfig(parseJsonFile(text, file), file)
}

function parseJsonFile(text: string, file: string): unknown {
  const bare = text.replace(/^\uFEFF/, '')
  const fault = findJsonError(bare)
  if (fault !== undefined) {
    const { line, column, message } = fault
    throw new NamedError('BadConfig', `${file}, line ${line}, column ${column}: ${message}.`, {
      data: { file, line, column },
    })
  }
  return JSON.parse(bare) as unknown
}

function isMissing(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Restricts a file with keys to its owner. Returns a sentence about the fix or its failure. */
function keepPrivate(file: string, config: Config): string | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  if (process.platform === 'win32' || (mode & 0o077) === 0 || !holdsKeys(config)) return undefined
  try {
    chmodSync(file, 0o600)
    return `Other users on this machine could read the keys in ${file}. This is fixed now, but consider changing the keys.`
  } catch (error) {
    return `Other users on this machine can read the keys in ${file} (${(error as Error).message}). Run "chmod 600 ${file}".`
  }
}

function holdsKeys({ providers = {}, mcpServers = {}, search, publish, connections }: Config): boolean {
  const settings = Object.values(providers)
  if (Object.values(mcpServers).some(({ env, headers }) => env !== undefined || headers !== undefined)) return true
  if (connectionSecrets(connections).length > 0 || search?.apiKey || publish?.bucket !== undefined) return true
  return settings.some(({ apiKey, headers }) => Boolean(apiKey) || headers !== undefined)
}

/** Passwords, to be removed from logs and results. Shorter ones would remove ordinary words. */
export function connectionSecrets(connections: Connections = {}): string[] {
  return Object.values(connections).flatMap((one) =>
    one.type !== 'sqlite' && one.password !== undefined && one.password.length >= 6 ? [one.password] : [],
  )
}

export function unknownKeys(config: Config): string[] {
  const { permissions = {}, limits = {}, providers = {} } = config
  const { shape } = configSchema
  return [
    ...extraKeys(config, shape),
    ...extraKeys(permissions, shape.permissions.unwrap().shape, 'permissions.'),
    ...extraKeys(limits, shape.limits.unwrap().shape, 'limits.'),
    ...Object.entries(providers).flatMap(([id, settings]) =>
      extraKeys(settings, providerSettingsSchema.shape, `providers.${id}.`),
    ),
  ]
}

function extraKeys(value: object, shape: object, prefix = ''): string[] {
  return Object.keys(value)
    .filter((key) => !Object.hasOwn(shape, key))
    .map((key) => prefix + key)
}

function checkConfig(value: unknown, file: string): Config {
  const result = configSchema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
  )
  throw new NamedError('BadConfig', `${file}: ${issues.slice(0, 5).join('; ')}.`, { data: { file, issues } })
}

/** `.troupe/config.json` of each workspace. The caller must check that the workspace is trusted. */
export type ProjectConfigs = (workspace: { path: string }) => WatchedFile<Config>

/** `responds` is false for a folder that hangs. Its files are not touched then. */
export function createProjectConfigs(responds: (folder: string) => boolean = () => true): ProjectConfigs {
  const files = new Map<string, WatchedFile<Config>>()
  return (workspace) => {
    const file = path.join(workspace.path, '.troupe', 'config.json')
    const known = files.get(file) ?? watchFile(file, readConfig, () => responds(workspace.path))
    files.set(file, known)
    return known
  }
}

/** Only returns sections of a tool, so provider keys cannot be read this way. */
export function toolSettings(config: ConfigFile): (name: string) => unknown {
  return (name) => (name === 'search' ? config.get().search : undefined)
}

/** The current limits of a run. */
export function runLimits(config: ConfigFile): () => { steps?: number; tokens?: number; ms?: number } {
  return () => {
    const { steps, tokens, seconds } = config.get().limits ?? {}
    return { steps, tokens, ms: seconds === undefined ? undefined : seconds * 1000 }
  }
}

/** The current budget, in US dollars. */
export function budgetLimits(config: ConfigFile): () => { day?: number; month?: number } {
  return () => {
    const { day, month } = config.get().budget ?? {}
    return { ...(day !== undefined && { day }), ...(month !== undefined && { month }) }
  }
}

/**
 * Removes secrets after a server address changes, so they are not sent to another server. Keeps those of `names` that
 * the change sets again. Returns the removed names.
 */
export function dropSecrets(settings: Record<string, unknown>, change: object, names: readonly string[]): string[] {
  const dropped = names.filter((name) => settings[name] !== undefined && !Object.hasOwn(change, name))
  for (const name of dropped) delete settings[name]
  return dropped
}

export interface WatchedFile<T> {
  readonly path: string
  /**
   * Returns the current value, or the previous one while the file is unreadable. Undefined if it was never readable.
   */
  get(): T | undefined
  problem(): NamedError | undefined
}

/**
 * `read` throws a NamedError for an invalid file, and returns a value for a missing one. While `canRead` is false, the
 * last value stays.
 */
export function watchFile<T>(path: string, read: (path: string) => T, canRead = () => true): WatchedFile<T> {
  let version: string | undefined
  let value: T | undefined
  let problem: NamedError | undefined

  function refresh(): void {
    if (!canRead()) return
    const current = fileVersion(path)
    if (current === version) return
    version = current
    problem = undefined
    try {
      value = read(path)
    } catch (error) {
      if (!(error instanceof NamedError)) throw error
      problem = error
    }
  }

  return {
    path,
    get() {
      refresh()
      return value
    },
    problem() {
      refresh()
      return problem
    },
  }
}

/** Returns a string that changes whenever the file does. */
function fileVersion(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable'
  }
}
