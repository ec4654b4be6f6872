import { buildTools, getBuiltinTools } from '../../packages/core/src/tool-set.ts'
import type { Tool } from '../../packages/core/src/tool.ts'

export const file = 'docs/reference/tools.md'

/** Every built-in tool: what it takes, whether it only reads, and what is decided where no rule speaks. */
export async function generate(): Promise<string> {
  const tools = getBuiltinTools().toSorted((a, b) => a.name.localeCompare(b.name))
  const rows = tools.map(
    (tool) =>
      `| \`${tool.name}\` | ${tool.group} | ${tool.readOnly ? 'yes' : 'no'} | ${decision(tool)} | ${tool.recover} | ${fields(tool)} | ${firstSentence(tool)} |`,
  )
  return `<!-- Made by scripts/generators/tools.ts from packages/core/src/tools: run "npm run generate". -->

# Built-in tools

Read-only calls run together and may start while the model still speaks; every other call runs alone, in model order.
*Default* is what happens where no rule of \`permissions\` speaks. *After a crash* is what becomes of a call that had begun.

| Tool | Group | Read-only | Default | After a crash | Input | What it does |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`
}

function decision(tool: Tool): string {
  if (typeof tool.needsApproval === 'function') return 'by input'
  return (tool.needsApproval ?? !tool.readOnly) ? 'ask' : 'allow'
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
