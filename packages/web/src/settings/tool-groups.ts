import type { ToolInfo } from '../api/session-types.ts'

export interface ToolGroup {
  name: string
  tools: ToolInfo[]
}

export function groupTools(tools: readonly ToolInfo[]): ToolGroup[] {
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name)
  const groups = Map.groupBy(tools, ({ group }) => group)
  return [...groups].map(([name, members]) => ({ name, tools: members.toSorted(byName) })).toSorted(byName)
}

/** Compares names regardless of case and separators. */
export function includesName(list: readonly string[], name: string): boolean {
  return list.some((one) => normalizeName(one) === normalizeName(name))
}

export function withName(list: readonly string[], name: string, wanted: boolean): string[] {
  const others = list.filter((one) => normalizeName(one) !== normalizeName(name))
  return wanted ? [...others, name] : others
}

/** Returns names that are neither a tool nor a group. `*` means all tools. */
export function unknownNames(list: readonly string[], groups: readonly ToolGroup[]): string[] {
  const known = new Set(
    groups.flatMap(({ name, tools }) => [normalizeName(name), ...tools.map((tool) => normalizeName(tool.name))]),
  )
  return list.filter((name) => name !== '*' && !known.has(normalizeName(name)))
}

function normalizeName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}*]/gu, '').toLowerCase()
}
