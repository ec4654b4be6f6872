import { type Document, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { splitFrontMatter } from '../agents/agent-definition.ts'
import { parseRule } from '../permission/parse-rule.ts'
import type { SkillHead } from '../tool/agent-state.ts'

export class FileFault extends Error {
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.line = line
  }
}

export const skillNamePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
export const maxSkillBytes = 256 * 1024
/** Checking for duplicate keys takes quadratic time. */
const maxMatterLength = 16 * 1024

const frontMatter = z.looseObject({
  name: z
    .string()
    .min(1)
    .max(64)
    .regex(skillNamePattern, 'of a-z, 0-9 and single "-" between them, at most 64 characters'),
  description: z.string().trim().min(1).max(8192),
  license: z.string().optional(),
  compatibility: z.string().max(500).optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string())]).optional(),
  'disable-model-invocation': z.boolean().optional(),
})

/**
 * Parses a `SKILL.md` of the open Agent Skills format: YAML between two lines of dashes, then the text. Ignores keys of
 * other programs. Throws only `FileFault`, for any input.
 */
export function parseSkillFile(text: string, folderName: string): { head: SkillHead; body: string } {
  const { data, lineOf, body } = readFrontMatter(text)
  const parsed = frontMatter.safeParse(data)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const key = String(issue?.path[0] ?? '')
    const missing = key !== '' && !Object.hasOwn(data, key)
    throw new FileFault(missing ? `"${key}" is missing` : `${key}: ${issue?.message}`, lineOf(key))
  }
  const { name, description, license, compatibility, metadata } = parsed.data
  if (name !== folderName)
    throw new FileFault(`it is named "${name}", but its folder is "${folderName}"; they must match`, lineOf('name'))
  const allowed = parsed.data['allowed-tools']
  const head: SkillHead = {
    name,
    description: description.replace(/\s+/g, ' '),
    license,
    compatibility,
    metadata,
    allowedTools: allowed === undefined ? undefined : toolRules(allowed, lineOf('allowed-tools')),
    personOnly: parsed.data['disable-model-invocation'] || undefined,
  }
  return { head, body }
}

/** Parses the front matter of our files into an object, with the line of each key. Throws a `FileFault`. */
export function readFrontMatter(text: string): {
  data: Record<string, unknown>
  lineOf: (key: string) => number | undefined
  body: string
} {
  const { matter, body } = splitFrontMatter(text)
  if (matter === '') return { data: {}, lineOf: () => 1, body }
  if (matter.length > maxMatterLength)
    throw new FileFault(`the front matter is longer than ${maxMatterLength} characters`, 1)
  const plain = parsePlainMatter(matter)
  if (plain !== undefined) return { data: plain.data, lineOf: (key) => (plain.lines.get(key) ?? 0) + 1, body }
  const lines = new LineCounter()
  const document = attempt(() => parseDocument(matter, { lineCounter: lines }))
  const [fault] = document.errors
  if (fault !== undefined) {
    const line = fault.linePos?.[0].line
    throw new FileFault(fault.message.split(/ at line|\n/)[0] as string, line === undefined ? undefined : line + 1)
  }
  const data = attempt((): unknown => document.toJS({ maxAliasCount: 50 })) ?? {}
  if (typeof data !== 'object' || Array.isArray(data)) throw new FileFault('the front matter is not a list of keys', 2)
  return { data: data as Record<string, unknown>, lineOf: (key) => lineOfKey(document, key, lines), body }
}

/** Hostile input makes the parser throw: too many aliases, or too deep nesting. */
function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const isDeep = error instanceof RangeError
    throw new FileFault(isDeep ? 'the front matter is nested too deeply' : (error as Error).message, 1)
  }
}

function lineOfKey(document: Document, key: string, lines: LineCounter): number {
  const { contents } = document
  const items = (contents as { items?: { key?: { value?: unknown; range?: [number] } }[] } | null)?.items ?? []
  const range = items.find((item) => item.key?.value === key)?.key?.range
  return range === undefined ? 1 : lines.linePos(range[0]).line + 1
}

/** Parses rules separated by spaces or commas, such as `Bash(git:*) Read`, or a list. */
export function toolRules(given: string | string[], line: number | undefined): string[] {
  const rules = typeof given === 'string' ? (given.match(/[^\s,()]+(?:\([^)]*\))?|[()][^\s,]*/g) ?? []) : given
  for (const rule of rules) {
    try {
      parseRule(rule)
    } catch (error) {
      throw new FileFault(`allowed-tools: ${(error as Error).message}`, line)
    }
  }
  return [...new Set(rules)]
}

/** A plain YAML string that every parser reads as a string: starts with a letter and contains nothing special. */
const plainText = /^[A-Za-z](?:(?!: | #)[\x20-\x7e\u00a0-\ud7ff])*$/
const quoted = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e\u00a0-\ud7ff]*)"|'([\x20-\x26\x28-\x7e\u00a0-\ud7ff]*)')$/
const pair = /^( {2})?([A-Za-z][A-Za-z0-9_-]{0,63}):(?: +(\S.*?))? *$/
const notText = /^(?:true|false|null|yes|no|on|off|y|n)$|:$/i

/**
 * Fast path for nearly all front matter, a hundred times faster than parsing YAML: lines of `key: text`, with one
 * nested level. Returns undefined for anything else, which goes to the real parser.
 */
export function parsePlainMatter(
  matter: string,
): { data: Record<string, unknown>; lines: Map<string, number> } | undefined {
  const data: Record<string, unknown> = {}
  const lines = new Map<string, number>()
  let inner: Record<string, unknown> | undefined
  for (const [index, line] of matter.split('\n').entries()) {
    const match = pair.exec(line)
    if (match === null) return undefined
    const [, indented, key, given] = match as unknown as [string, string | undefined, string, string | undefined]
    const value = given === undefined ? undefined : readScalar(given)
    const target = indented === undefined ? data : inner
    if (notText.test(key)) return undefined
    if (target === undefined || key in target || (given !== undefined && value === undefined)) return undefined
    if (indented === undefined) {
      if (inner !== undefined && Object.keys(inner).length === 0) return undefined
      inner = value === undefined ? {} : undefined
      data[key] = value ?? inner
      lines.set(key, index + 1)
    } else if (value === undefined) return undefined
    else target[key] = value
  }
  return inner !== undefined && Object.keys(inner).length === 0 ? undefined : { data, lines }
}

function readScalar(given: string): string | undefined {
  if (plainText.test(given) && !notText.test(given)) return given
  const match = quoted.exec(given)
  return match === null ? undefined : (match[1] ?? match[2])
}
