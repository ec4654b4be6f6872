import type { McpEntry } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'

type NewServerKind = 'program' | 'address' | 'json'

export interface NewServerFields {
  kind: NewServerKind
  name: string
  command: string
  /** `NAME=value`, one per line. */
  env: string
  url: string
  /** `Name: value`, one per line. */
  headers: string
  json: string
}

export interface NewServer extends McpEntry {
  name: string
}

/** Parses the form. Throws an error that names the missing field. */
export function readNewServers(fields: NewServerFields): NewServer[] {
  const { kind, command, url } = fields
  if (kind === 'json') return readJson(fields)
  const name = fields.name.trim()
  if (name === '') throw new Error(t.mcp.missing.name)
  if (kind === 'address') {
    if (!/^https?:\/\//i.test(url.trim()) || !URL.canParse(url.trim())) throw new Error(t.mcp.missing.address)
    const headers = readPairs(fields.headers, ':')
    return [{ name, url: url.trim(), ...(Object.keys(headers).length > 0 && { headers }) }]
  }
  const [program, ...args] = splitCommandLine(command)
  if (program === undefined) throw new Error(t.mcp.missing.command)
  const env = readPairs(fields.env, '=')
  return [{ name, command: program, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) }]
}

/** Splits a command line at blanks. Quotes and backslashes keep words together. No shell is involved. */
export function splitCommandLine(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let i = 0; i < line.length; i++) {
    const character = line[i] as string
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (character === quote) {
      quote = undefined
    } else if (character === '\\' && quote !== "'" && /[\s"'\\]/.test(line[i + 1] ?? '')) {
      word = (word ?? '') + (line[++i] as string)
    } else {
      word = (word ?? '') + character
    }
  }
  if (quote !== undefined) throw new Error(t.mcp.missing.quote(quote))
  if (word !== undefined) words.push(word)
  return words
}

/** The inverse of `splitCommandLine`. */
export function joinCommandLine(words: readonly string[]): string {
  return words
    .map((word) => {
      if (word !== '' && !/[\s"'\\]/.test(word)) return word
      return word.includes("'") ? `"${word.replaceAll(/["\\]/g, '\\$&')}"` : `'${word}'`
    })
    .join(' ')
}

/** Parses `NAME=value` or `Name: value` lines. Throws an error that names the line. */
export function readPairs(text: string, sign: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(sign)
      const name = line.slice(0, Math.max(at, 0)).trim()
      if (name === '') throw new Error(t.mcp.missing.pair(line.trim(), sign))
      return [name, line.slice(at + 1).trim()]
    }),
  )
}

/** Accepts the usual formats: `{"mcpServers": {…}}`, servers by name, or a single server. */
function readJson({ json, name }: NewServerFields): NewServer[] {
  if (json.trim() === '') throw new Error(t.mcp.missing.json)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new Error(t.mcp.missing.noJson((error as Error).message), { cause: error })
  }
  if (!isObject(value)) throw new Error(t.mcp.missing.noObject)
  const held = value['mcpServers'] ?? value['servers'] ?? value
  if (!isObject(held)) throw new Error(t.mcp.missing.noServers)
  if (isEntry(held)) {
    if (name.trim() === '') throw new Error(t.mcp.missing.jsonName)
    return [{ ...held, name: name.trim() }]
  }
  const entries = Object.entries(held)
  if (entries.length === 0) throw new Error(t.mcp.missing.empty)
  return entries.map(([given, entry]) => {
    if (!isObject(entry) || !isEntry(entry)) throw new Error(t.mcp.missing.entry(given))
    return { ...entry, name: given }
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEntry(value: Record<string, unknown>): boolean {
  return typeof value['command'] === 'string' || typeof value['url'] === 'string'
}
