import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { defineTool, type Tool, type ToolContext } from '../tool/tool.ts'
import type { McpCallContext } from './active-calls.ts'
import { readResult } from './read-result.ts'
import { sha256 } from './server-config.ts'

interface McpToolOptions {
  server: string
  /** The person trusts the server. Its annotations then count, but only for scheduling calls. */
  trusted: boolean
  call(name: string, input: Record<string, unknown>, ctx: McpCallContext): Promise<CallToolResult>
}

/**
 * Wraps a server's tool as `mcp__<server>_<tool>`. It always asks unless a rule allows it, whatever its annotations
 * say. The server validates the input; only missing fields are reported here and defaults filled in.
 */
export function mcpTool(listed: ListedTool, { server, trusted, call }: McpToolOptions): Tool {
  const { name, annotations, inputSchema } = listed
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, { default?: unknown } | boolean>
    required?: string[]
  }
  const defaultOf = (key: string): unknown => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    return typeof schema === 'object' ? schema.default : undefined
  }
  const title = (annotations?.title ?? listed.title ?? name).toWellFormed().slice(0, 200)
  return defineTool({
    name: mcpToolName(server, name),
    description: (listed.description ?? title).toWellFormed(),
    input: z.looseObject(Object.fromEntries(Object.keys(properties).map((key) => [key, z.unknown().optional()]))),
    jsonSchema: { ...inputSchema, type: 'object' },
    readOnly: trusted && annotations?.readOnlyHint === true,
    needsApproval: true,
    group: `mcp:${server}`,
    title: () => title,
    permission: (input) => ({ title: `${title} (MCP server ${server})`, content: input }),
    validate(input) {
      const missing = required
        .filter((key) => !Object.hasOwn(input, key) && defaultOf(key) === undefined)
        .map((key) => `"${key}"`)
      return missing.length === 0 ? undefined : `The input is missing ${missing.join(', ')}. Send the whole call again.`
    },
    async execute(given, ctx: ToolContext) {
      const filled = required.filter((key) => !Object.hasOwn(given, key) && defaultOf(key) !== undefined)
      const input = { ...given, ...Object.fromEntries(filled.map((key) => [key, defaultOf(key)])) }
      const result = await call(name, input, ctx)
      const problem = result.isError === true ? undefined : declaredProblem(listed, result)
      if (problem === undefined) return readResult(result, ctx, `${server}-${name}`)
      const brought = JSON.stringify(result.structuredContent) ?? 'nothing'
      throw new Error(
        `The tool ran, but its result does not match its declared output: ${problem}. It returned: ${brought.slice(0, 2000)}`.toWellFormed(),
      )
    },
  })
}

function declaredProblem({ outputSchema }: ListedTool, { structuredContent }: CallToolResult): string | undefined {
  if (outputSchema === undefined) return undefined
  return structuredContent === undefined
    ? 'there is no structured content'
    : outputProblem(outputSchema, structuredContent)
}

const longest = 64

/** Letters, digits, `_` and `-`, at most 64. A truncated name ends in a hash to stay unique. */
export function mcpToolName(server: string, tool: string): string {
  const legal = `mcp__${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_')
  return legal.length <= longest ? legal : `${legal.slice(0, longest - 9)}_${sha256(tool).slice(0, 8)}`
}

/** Hashes everything about the tools that a model reads, in any order. Trust applies to this value. */
export function toolsFingerprint(tools: readonly ListedTool[]): string {
  const told = tools.map(({ name, title, description, inputSchema, annotations }) =>
    JSON.stringify([name, title, description, inputSchema, annotations]),
  )
  return sha256(told.toSorted())
}

type Schema = Readonly<Record<string, unknown>>

/** Maximum validation steps. Anything beyond is accepted unchecked. */
const maxSteps = 50_000
const deepest = 100

/**
 * Describes how a value violates a server's JSON schema, or returns undefined. Bounded in time: ignores patterns and
 * formats, since a hostile regex could run forever.
 */
export function outputProblem(schema: unknown, value: unknown): string | undefined {
  let steps = 0
  return problemOf(schema, value, '', 0)

  function problemOf(given: unknown, found: unknown, path: string, depth: number): string | undefined {
    if (++steps > maxSteps || depth > deepest) return undefined
    if (given === false) return `${at(path)} is not allowed`
    if (!isObject(given)) return undefined
    const one = typeof given['$ref'] === 'string' ? resolve(given['$ref']) : undefined
    return (
      (one === undefined ? undefined : problemOf(one, found, path, depth + 1)) ??
      typeProblem(given, found, path) ??
      valueProblem(given, found, path) ??
      objectProblem(given, found, path, depth) ??
      listProblem(given, found, path, depth) ??
      joinedProblem(given, found, path, depth)
    )
  }

  function objectProblem(given: Schema, found: unknown, path: string, depth: number): string | undefined {
    if (!isObject(found)) return undefined
    const needed = listOf(given['required']).filter((key) => typeof key === 'string')
    const missing = needed.find((key) => !Object.hasOwn(found, key))
    if (missing !== undefined) return `${at(path)} is missing "${missing}"`
    const properties = isObject(given['properties']) ? given['properties'] : {}
    const more = given['patternProperties'] === undefined ? given['additionalProperties'] : undefined
    for (const [key, inner] of Object.entries(found)) {
      const rule = Object.hasOwn(properties, key) ? properties[key] : more
      const problem = rule === undefined ? undefined : problemOf(rule, inner, `${path}.${key.slice(0, 100)}`, depth + 1)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  function listProblem(given: Schema, found: unknown, path: string, depth: number): string | undefined {
    if (!Array.isArray(found)) return undefined
    if (found.length < numberOr(given['minItems'], 0)) return `${at(path)} has too few items`
    if (found.length > numberOr(given['maxItems'], Infinity)) return `${at(path)} has too many items`
    const first = listOf(given['prefixItems'])
    for (const [index, inner] of found.entries()) {
      const problem = problemOf(
        index < first.length ? first[index] : given['items'],
        inner,
        `${path}[${index}]`,
        depth + 1,
      )
      if (problem !== undefined) return problem
    }
    return undefined
  }

  function joinedProblem(given: Schema, found: unknown, path: string, depth: number): string | undefined {
    for (const inner of listOf(given['allOf'])) {
      const problem = problemOf(inner, found, path, depth + 1)
      if (problem !== undefined) return problem
    }
    for (const key of ['anyOf', 'oneOf']) {
      const ways = listOf(given[key])
      const fitting = ways.filter((inner) => problemOf(inner, found, path, depth + 1) === undefined).length
      if (ways.length > 0 && fitting === 0) return `${at(path)} matches none of the allowed schemas`
      if (key === 'oneOf' && fitting > 1 && steps <= maxSteps)
        return `${at(path)} matches more than one of the allowed schemas`
    }
    return undefined
  }

  /** Resolves references within the schema only. Never fetches. */
  function resolve(reference: string): unknown {
    if (!reference.startsWith('#/')) return reference === '#' ? schema : undefined
    let target: unknown = schema
    for (const key of reference.slice(2).split('/')) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined
      target = (target as Schema)[name]
    }
    return target
  }
}

function typeProblem(given: Schema, found: unknown, path: string): string | undefined {
  const types = typeof given['type'] === 'string' ? [given['type']] : listOf(given['type'])
  if (types.length === 0 || types.some((type) => isOfType(type, found))) return undefined
  return `${at(path)} is ${typeName(found)}, not ${types.join(' or ')}`
}

function valueProblem(given: Schema, found: unknown, path: string): string | undefined {
  const allowed = 'const' in given ? [given['const']] : given['enum']
  if (Array.isArray(allowed)) {
    const text = JSON.stringify(found)
    if (!allowed.some((one) => JSON.stringify(one) === text)) return `${at(path)} is not one of the allowed values`
  }
  if (typeof found === 'string') {
    if (found.length < numberOr(given['minLength'], 0)) return `${at(path)} is too short`
    if (found.length > numberOr(given['maxLength'], Infinity)) return `${at(path)} is too long`
  }
  if (typeof found !== 'number') return undefined
  const isLow = found < numberOr(given['minimum'], -Infinity) || found <= numberOr(given['exclusiveMinimum'], -Infinity)
  const isHigh = found > numberOr(given['maximum'], Infinity) || found >= numberOr(given['exclusiveMaximum'], Infinity)
  return isLow || isHigh ? `${at(path)} is out of range` : undefined
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return typeof value === 'number'
  return typeName(value) === type
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function at(path: string): string {
  return path === '' ? 'it' : path.slice(0, 300)
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
