import type { ToolInfo } from '../api/session-types.ts'

export interface ToolGroup {
  name: string
  tools: ToolInfo[]
}

/** The tools by their groups, both in the order of their names. */
export function groupTools(tools: readonly ToolInfo[]): ToolGroup[] {
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name)
  const groups = Map.groupBy(tools, ({ group }) => group)
  return [...groups].map(([name, members]) => ({ name, tools: members.toSorted(byName) })).toSorted(byName)
}

/** Whether a list of names has this one: case and separators do not matter. */
export function includesName(list: readonly string[], name: string): boolean {
  return list.some((one) => normalizeName(one) === normalizeName(name))
}

/** The list with or without a name. */
export function withName(list: readonly string[], name: string, wanted: boolean): string[] {
  const others = list.filter((one) => normalizeName(one) !== normalizeName(name))
  return wanted ? [...others, name] : others
}

/** Names that are neither a tool nor a group here; `*` is all tools. */
export function unknownNames(list: readonly string[], groups: readonly ToolGroup[]): string[] {
  const known = new Set(
    groups.flatMap(({ name, tools }) => [normalizeName(name), ...tools.map((tool) => normalizeName(tool.name))]),
  )
  return list.filter((name) => name !== '*' && !known.has(normalizeName(name)))
}

function normalizeName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}*]/gu, '').toLowerCase()
}
