import { z } from 'zod'
import { decide } from '../../packages/core/src/permission/decide.ts'
import type { PermissionContext } from '../../packages/core/src/permission/path-facts.ts'
import { createPolicy } from '../../packages/core/src/permission/policy.ts'
import { buildTools, getBuiltinTools } from '../../packages/core/src/tool/tool-set.ts'
import type { Tool } from '../../packages/core/src/tool/tool.ts'

export const file = 'docs/reference/tools.md'

/**
 * Generates the reference of built-in tools: input, read-only flag, files touched, and the decision if no rule applies.
 */
export async function generate(): Promise<string> {
  const tools = getBuiltinTools().toSorted((a, b) => a.name.localeCompare(b.name))
  const rows: string[] = []
  for (const tool of tools) {
    const cells = [`\`${tool.name}\``, tool.group, tool.readOnly ? 'yes' : 'no', touched(tool), await decision(tool), tool.recover, fields(tool), firstSentence(tool)] // prettier-ignore
    rows.push(`| ${cells.join(' | ')} |`)
  }
  return `<!-- Made by scripts/generators/tools.ts from packages/core/src/tools: run "npm run generate". -->

# Built-in tools

Read-only calls run in parallel and may start while the model is still writing. Every other call runs alone, in model order. *After a crash* says what happens to a call that had begun.

*Accesses* is what permission rules match, whichever tool it is. *Default* is the decision for an ordinary call in the workspace, in default mode, if no rule matches: first without a sandbox, then with one if that differs. In general (details in [permissions](../guides/permissions.md)):

| Accesses | Default |
|---|---|
| read | runs; asks outside the workspace, and for secrets (\`.env\`, keys, Troupe's home folder) |
| write | asks; runs in accept-edits mode, in the workspace and away from protected paths |
| command | runs if it provably only reads, or if the sandbox prevents anything else; otherwise asks |
| code | runs in a sandbox, asks without one |
| url | asks, unless you typed exactly that URL |
| agent | runs; what the agent does is decided separately |

| Tool | Group | Read-only | Accesses | Default | After a crash | Input | What it does |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`
}

/** Returns the resources a typical tool call touches, as declared by the tool. */
function touched(tool: Tool): string {
  const accesses = tool.touches?.(ordinaryInput(tool), { cwd: '/workspace' }) ?? []
  return [...new Set(accesses.map(({ kind }) => kind))].join(', ')
}

async function decision(tool: Tool): Promise<string> {
  const ctx: PermissionContext = { state: { cwd: '/workspace', roots: ['/workspace'], readable: [] } }
  const input = ordinaryInput(tool)
  const inSandbox = (sandbox: boolean) =>
    decide({ tool, input }, ctx, createPolicy({}, { sandbox, home: '/home/person' }))
  const [{ decision: bare }, { decision: sandboxed }] = [await inSandbox(false), await inSandbox(true)]
  if (touched(tool) === 'command') return 'by the command'
  if (typeof tool.needsApproval === 'function') return 'by the input'
  return bare === sandboxed ? bare : `${bare} / ${sandboxed}`
}

/** Returns the minimal valid input, with strings that work as paths, commands and URLs. */
function ordinaryInput(tool: Tool): unknown {
  const schema = z.toJSONSchema(tool.input, { io: 'input', target: 'draft-7' })
  const candidates = [valueOf(schema), { ...(valueOf(schema) as object), patch: examplePatch }, { ...(valueOf(schema) as object), url: 'https://example.com' }] // prettier-ignore
  for (const candidate of candidates.toReversed()) {
    const parsed = tool.input.safeParse(candidate)
    if (parsed.success && (tool.touches?.(parsed.data, { cwd: '/workspace' }).length ?? 1) > 0) return parsed.data
  }
  return tool.input.parse(candidates[0])
}

const examplePatch = '*** Begin Patch\n*** Delete File: example\n*** End Patch'

interface Schema {
  type?: string
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  anyOf?: Schema[]
}

function valueOf(given: unknown): unknown {
  const schema = given as Schema
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf?.[0] !== undefined) return valueOf(schema.anyOf[0])
  if (schema.type === 'object') {
    const required = schema.required ?? []
    return Object.fromEntries(required.map((name) => [name, valueOf(schema.properties?.[name] ?? {})]))
  }
  if (schema.type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => valueOf(schema.items ?? {}))
  if (schema.type === 'boolean') return false
  return schema.type === 'number' || schema.type === 'integer' ? 1 : 'example'
}

function fields(tool: Tool): string {
  const schema = buildTools([tool])[0]?.inputSchema as { properties?: Record<string, unknown>; required?: string[] }
  return Object.keys(schema.properties ?? {})
    .filter((name) => name !== 'actionName')
    .map((name) => `\`${name}${schema.required?.includes(name) === true ? '' : '?'}\``)
    .join(', ')
}

function firstSentence(tool: Tool): string {
  const text = typeof tool.description === 'string' ? tool.description : tool.description()
  return (/^.*?[.:](?=\s|$)/s.exec(text.trim())?.[0] ?? text).replaceAll('\n', ' ').replaceAll('|', '\\|')
}
