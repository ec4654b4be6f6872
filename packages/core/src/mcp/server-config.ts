import { createHash } from 'node:crypto'
import { type McpEntry, mcpEntrySchema } from '@troupe/protocol'
import { z } from 'zod'

export const mcpServersSchema = z.record(z.string(), z.looseObject({}))

export type McpServerConfig =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | { type: 'http' | 'sse'; url: string; headers: Record<string, string>; client?: McpClient }

/** OAuth client that identifies us at login. */
export interface McpClient {
  client_id: string
  client_secret?: string
}

/** Validates an entry. Throws an Error that says what to change. */
export function parseMcpEntry(given: unknown): McpEntry {
  const result = mcpEntrySchema.safeParse(given)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new Error(`${issue?.path.map(String).join('.') || 'the server'}: ${issue?.message ?? 'not valid'}`)
  }
  const { type, command, url } = result.data
  if (command === undefined && url === undefined) throw new Error('it has neither a "command" nor a "url"')
  if (command !== undefined && url !== undefined) throw new Error('it has both a "command" and a "url"; keep one')
  if (command !== undefined && type !== undefined && type !== 'stdio')
    throw new Error(`a server of type "${type}" needs a "url"`)
  if (url !== undefined && type === 'stdio') throw new Error('a server of type "stdio" needs a "command"')
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
      cwd: cwd && fill(cwd),
    }
  const { clientId, clientSecret } = entry.oauth ?? {}
  return {
    type: type === 'sse' ? 'sse' : 'http',
    url: checkUrl(fill(url as string)),
    headers: fillAll(entry.headers),
    client:
      clientId === undefined
        ? undefined
        : { client_id: fill(clientId), client_secret: clientSecret && fill(clientSecret) },
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
      throw new Error(`it uses ${whole}, but variables only work in your own config.json; copy the server there`)
    const value = variables[name] ?? otherwise
    if (value === undefined) throw new Error(`the variable ${name} is not set`)
    return value
  })
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new Error('its "url" is not an http or https URL')
  if (url.username !== '' || url.password !== '')
    throw new Error('its "url" contains a password; use "headers" instead')
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
