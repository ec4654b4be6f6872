import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import type { McpLimits } from './mcp-limits.ts'

/** The tools of a server that can be called and are small enough, and a sentence for each that is not. */
export function pickListed(
  listed: readonly ListedTool[],
  limits: McpLimits,
): { tools: ListedTool[]; problems: string[] } {
  const tools: ListedTool[] = []
  const problems: string[] = []
  const names = new Set<string>()
  let all = 0
  for (const tool of listed) {
    const length = JSON.stringify([tool.inputSchema, tool.outputSchema]).length + (tool.description?.length ?? 0)
    const name = `The tool "${tool.name.slice(0, 100).toWellFormed()}" is left out`
    if (tool.execution?.taskSupport === 'required')
      problems.push(`${name}: it runs only as a task, which is not supported.`)
    else if (length > limits.toolCharacters)
      problems.push(
        `${name}: its description and schema have ${length} characters, more than ${limits.toolCharacters}.`,
      )
    else if (names.has(tool.name)) problems.push(`${name}: there is another one of that name.`)
    else if (tools.length === limits.tools || all + length > limits.allCharacters) {
      const left = listed.length - tools.length - problems.length
      problems.push(`${left} tools are left out: there are more than ${limits.tools}, or they are too big together.`)
      break
    } else {
      names.add(tool.name)
      all += length
      tools.push(tool)
    }
  }
  // Thousands of sentences would be a flood of their own.
  if (problems.length > 20) problems.splice(20, problems.length, `${problems.length - 20} more tools are left out.`)
  return { tools, problems }
}
