import type { McpToolInfo } from '../api/mcp-info.ts'

/** The tools in use after one of them was switched, as the server takes them: null where it is all of them. */
export function pickTool(tools: readonly McpToolInfo[], name: string, enabled: boolean): string[] | null {
  const used = tools.filter((tool) => (tool.name === name ? enabled : tool.enabled))
  return used.length === tools.length ? null : used.map((tool) => tool.name)
}
