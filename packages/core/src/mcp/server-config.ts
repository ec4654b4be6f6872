import { createHash } from 'node:crypto'
import { z } from 'zod'

const texts = z.record(z.string().max(300), z.string().max(20_000))

/** Entry of `mcpServers` as written by people. Unknown keys are kept. */
export const mcpEntrySchema = z.looseObject({
  type: z.enum(['stdio', 'http', 'streamable-http', 'sse']).optional().describe('absent: by command or url'),
  command: z.string().min(1).max(4000).optional().describe('the program that is started'),
  args: z.array(z.string().max(20_000)).max(1000).optional(),
  env: texts.optional().describe('what the program sees besides a clean environment'),
  cwd: z.string().max(4000).optional().describe('where it starts; absent: in the workspace'),
  url: z.string().max(4000).optional().describe('the address of a server that runs already'),
  headers: texts.optional(),
  oauth: z
    .looseObject({ clientId: z.string().max(2000), clientSecret: z.string().max(20_000).optional() })
    .optional()
    .describe('the client that is known to the login already; absent: one is registered'),
  enabled: z.boolean().optional(),
  disabled: z.boolean().optional(),
  useTools: z.array(z.string().max(300)).max(5000).nullable().optional().describe('the tools in use; absent: all'),
  timeout: z.number().positive().max(86_400_000).optional().describe('milliseconds that a call may be silent'),
})
export type McpEntry = z.infer<typeof mcpEntrySchema>

export const mcpServersSchema = z.record(z.string(), z.looseObject({}))

export type McpServerConfig =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string>; client?: McpClient }

/** OAuth client that identifies us at login. */
export interface McpClient {
  client_id: string
  client_secret?: string
}

/**
 * Valid server name for tool names and rules. Double underscores would blur where the server name ends. 30 characters
 * leave room for the tool name.
 */
export const mcpNamePattern = /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,28}[A-Za-z0-9])?$/

/** Validates an entry. Throws an Error that says what to change. */
export function parseMcpEntry(given: unknown): McpEntry {
  const result = mcpEntrySchema.safeParse(given)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new Error(`${issue?.path.map(String).join('.') || 'the server'}: ${issue?.message ?? 'not valid'}`)
  }
  const { type, command, url } = result.data
  if (command === undefined && url === undefined) throw new Error('it has neither a "command" nor a "url"')
  if (command !== undefined && url !== undefined) throw new Error('it has a "command" and a "url": keep one of them')
  if (command !== undefined && type !== undefined && type !== 'stdio')
    throw new Error(`a server of the type "${type}" has a "url"`)
  if (url !== undefined && type === 'stdio') throw new Error('a server of the type "stdio" has a "command"')
  return result.data
}

/**
 * Resolves an entry to a config. Expands `${NAME}` and `${NAME:-default}` from `variables`. Without them, rejects
 * entries that use variables: a project must not read the person's environment.
 */
export function resolveMcpEntry(entry: McpEntry, variables?: NodeJS.ProcessEnv): McpServerConfig {
  const fill = (text: string): string => fillIn(text, variables)
  const fillAll = (given: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fill(value)]))
  const { command, url, type, args = [], cwd } = entry
  if (command !== undefined)
    return {
      type: 'stdio',
      command: fill(command),
      args: args.map(fill),
      env: fillAll(entry.env),
      ...(cwd !== undefined && { cwd: fill(cwd) }),
    }
  const { clientId, clientSecret } = entry.oauth ?? {}
  return {
    type: type === 'sse' ? 'sse' : 'http',
    url: checkUrl(fill(url as string)),
    headers: fillAll(entry.headers),
    ...(clientId !== undefined && {
      client: {
        client_id: fill(clientId),
        ...(clientSecret !== undefined && { client_secret: fill(clientSecret) }),
      },
    }),
  }
}

/** Hashes everything, as written, that decides which process or URL is used. Trust applies to this value. */
export function mcpFingerprint({ type, command, args, env, cwd, url, headers, oauth }: McpEntry): string {
  const sorted = (given: Record<string, string> = {}): [string, string][] =>
    Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sha256([
    type ?? '',
    command ?? '',
    args ?? [],
    sorted(env),
    cwd ?? '',
    url ?? '',
    sorted(headers),
    oauth?.clientId ?? '',
  ])
}

export function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

function fillIn(text: string, variables: NodeJS.ProcessEnv | undefined): string {
  return text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
    if (variables === undefined)
      throw new Error(
        `it wants ${whole}, and variables are filled in only in your own config.json: copy the server there`,
      )
    const value = variables[name] ?? otherwise
    if (value === undefined) throw new Error(`the variable ${name} is not set`)
    return value
  })
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new Error('its "url" is no http or https address')
  if (url.username !== '' || url.password !== '')
    throw new Error('its "url" has a password in it: use "headers" instead')
  return text
}

/** Resource limits per server. Exceeding one drops the connection or the oversized tool and affects nothing else. */
export interface McpLimits {
  /** From process start to the end of the handshake and tool list. */
  connectMs: number
  /** Maximum time of a call without a result or progress message. */
  callMs: number
  /** Maximum total time of a call, excluding time spent asking people. */
  longestCallMs: number
  messageBytes: number
  depth: number
  /** Maximum messages per ten seconds that answer no request of ours. */
  unasked: number
  /** Maximum non-message lines on stdout per ten seconds. */
  noise: number
  tools: number
  /** Maximum characters of one tool's description and schema. */
  toolCharacters: number
  /** Maximum characters of all tools' descriptions and schemas. */
  allCharacters: number
  pages: number
  logCharacters: number
  /** Bytes of stderr read per second. A process that writes more has to wait. */
  errorBytes: number
  /** Maximum bytes the server may leave unread. */
  unreadBytes: number
}

export const mcpLimits: McpLimits = {
  connectMs: 30_000,
  callMs: 120_000,
  longestCallMs: 3_600_000,
  messageBytes: 8 << 20,
  depth: 200,
  unasked: 5000,
  noise: 1000,
  tools: 1000,
  toolCharacters: 100_000,
  allCharacters: 2_000_000,
  pages: 100,
  logCharacters: 64_000,
  errorBytes: 1 << 20,
  unreadBytes: 16 << 20,
}
