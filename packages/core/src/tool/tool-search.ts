import { z } from 'zod'
import { defineTool, type Tool } from './tool.ts'

const maxFound = 20

/** The tool that finds deferred tools by keywords. */
export function createToolSearch(deferred: readonly Tool[]): Tool {
  const groups = Map.groupBy(deferred, ({ group }) => group)
  const counted = [...groups].map(([group, tools]) =>
    group.startsWith('mcp:')
      ? `${group.slice('mcp:'.length)} (MCP server, ${tools.length} tools)`
      : tools.map(({ name }) => name).join(', '),
  )
  return defineTool({
    name: 'ToolSearch',
    description: `Finds more tools: ${counted.join('; ')}. Search by keywords or by tool name. You can call the tools it finds from the next step on.`,
    input: z.object({
      query: z.string().min(1).max(500).describe('Such as "create issue" or "ChartRender"'),
      limit: z.int().positive().max(maxFound).default(5),
    }),
    readOnly: true,
    group: 'mcp',
    holds: new Set(deferred.map(({ name }) => name)),
    title: ({ query }) => query,
    execute({ query, limit }) {
      const words = wordsOf(query)
      const scored = deferred
        .map((tool) => ({ tool, score: scoreOf(tool, words, query) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      return {
        found: scored
          .slice(0, limit)
          .map(({ tool }) => ({ name: tool.name, description: describe(tool).slice(0, 1000) })),
        more: Math.max(0, scored.length - limit),
      }
    },
    toModel({ found, more }) {
      if (found.length === 0) return 'No tools found. Try other or fewer words.'
      const lines = found.map(({ name, description }) => `${name}: ${description}`)
      return `${lines.join('\n')}${more > 0 ? `\n${more} more match.` : ''}\nYou can call them now.`
    },
  })
}

/** Words in the name count most. A full name match ranks first. */
function scoreOf(tool: Tool, words: readonly string[], query: string): number {
  const name = tool.name.toLowerCase()
  if (
    query
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(name)
  )
    return 1000
  const nameWords = wordsOf(tool.name)
  const text = describe(tool).toLowerCase()
  let score = 0
  for (const word of words) {
    if (nameWords.includes(word)) score += 5
    else if (name.includes(word)) score += 3
    else if (text.includes(word)) score += 1
  }
  return score
}

function wordsOf(text: string): string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return split.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && word !== 'mcp')
}

export function describe({ description }: Tool): string {
  return typeof description === 'string' ? description : description()
}
