import { findTool } from './tool-set.ts'
import { toolKey, type Tool } from './tool.ts'

/**
 * The tools of these names and capability groups, each once, in the order of `tools`; `*` is all. A group `mcp:files`
 * belongs to the group `mcp`. What is not there is left out.
 */
export function pickTools(names: readonly string[], tools: readonly Tool[]): readonly Tool[] {
  if (names.includes('*')) return tools
  const picked = new Set<Tool>()
  for (const name of names) {
    const found = findTool(name, tools)
    if (found !== undefined) picked.add(found)
    const key = toolKey(name)
    for (const tool of tools) if (groupsOf(tool).includes(key)) picked.add(tool)
  }
  return tools.filter((tool) => picked.has(tool))
}

/** Which of the names are neither a tool nor a group. */
export function unknownTools(names: readonly string[], tools: readonly Tool[]): string[] {
  return names.filter((name) => {
    const key = toolKey(name)
    const isThere = name === '*' ? tools.length > 0 : tools.some((tool) => groupsOf(tool).includes(key))
    return !isThere && findTool(name, tools) === undefined
  })
}

/** Every turn asks for those of all tools, which stay the same. */
const knownGroups = new WeakMap<Tool, readonly string[]>()

function groupsOf(tool: Tool): readonly string[] {
  let groups = knownGroups.get(tool)
  if (groups === undefined) {
    groups = [toolKey(tool.group), toolKey(tool.group.split(':', 1)[0] as string)]
    knownGroups.set(tool, groups)
  }
  return groups
}
