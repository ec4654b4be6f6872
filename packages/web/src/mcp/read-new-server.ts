import type { McpEntry } from '../api/mcp-info.ts'
import { t } from '../texts/t.ts'

export type NewServerKind = 'program' | 'address' | 'json'

/** What is typed into the form. */
export interface NewServerFields {
  kind: NewServerKind
  name: string
  command: string
  /** `NAME=value`, one a line. */
  env: string
  url: string
  /** `Name: value`, one a line. */
  headers: string
  json: string
}

export interface NewServer extends McpEntry {
  name: string
}

/** The servers that a form describes. Throws an Error that says what is missing. */
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

/** Words of a command line: blanks part them, quotes and backslashes keep them together. No shell is involved. */
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

function readPairs(text: string, sign: string): Record<string, string> {
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

/** What documents of servers show: `{"mcpServers": {…}}`, servers by their names, or one server alone. */
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
