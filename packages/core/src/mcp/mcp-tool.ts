import type { McpCallContext } from './active-calls.ts'
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { outputProblem } from './output-problem.ts'
import { readResult } from './read-result.ts'
import { sha256 } from './server-config.ts'

export interface McpToolOptions {
  server: string
  /** The person trusts the server: what it says of its tools is believed as far as the order of calls goes. */
  trusted: boolean
  call(name: string, input: Record<string, unknown>, ctx: McpCallContext): Promise<CallToolResult>
}

/**
 * A tool of a server as one of ours: `mcp__<server>_<tool>`. It always asks unless a rule allows it; no annotation
 * changes that. Its input is checked by the server; only what is missing is said here, and what has a default is filled in.
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
      return missing.length === 0 ? undefined : `The input lacks ${missing.join(', ')}. Send the whole call again.`
    },
    async execute(given, ctx: ToolContext) {
      const filled = required.filter((key) => !Object.hasOwn(given, key) && defaultOf(key) !== undefined)
      const input = { ...given, ...Object.fromEntries(filled.map((key) => [key, defaultOf(key)])) }
      const result = await call(name, input, ctx)
      const problem = result.isError === true ? undefined : declaredProblem(listed, result)
      if (problem === undefined) return readResult(result, ctx, `${server}-${name}`)
      const brought = JSON.stringify(result.structuredContent) ?? 'nothing'
      throw new Error(
        `The tool ran, but its result is not what it declares: ${problem}. It gave: ${brought.slice(0, 2000)}`.toWellFormed(),
      )
    },
  })
}

/** What is wrong with a result by the schema that the server declares for it. */
function declaredProblem({ outputSchema }: ListedTool, { structuredContent }: CallToolResult): string | undefined {
  if (outputSchema === undefined) return undefined
  return structuredContent === undefined
    ? 'there is no structured content'
    : outputProblem(outputSchema, structuredContent)
}

const longest = 64

/** Letters, digits, `_` and `-`, at most 64; what had to be cut is told apart by its hash. */
export function mcpToolName(server: string, tool: string): string {
  const legal = `mcp__${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_')
  return legal.length <= longest ? legal : `${legal.slice(0, longest - 9)}_${sha256(tool).slice(0, 8)}`
}

/** What trust in a list of tools binds to: everything that a model reads of them. Their order does not matter. */
export function toolsFingerprint(tools: readonly ListedTool[]): string {
  const told = tools.map(({ name, title, description, inputSchema, annotations }) =>
    JSON.stringify([name, title, description, inputSchema, annotations]),
  )
  return sha256(told.toSorted())
}
