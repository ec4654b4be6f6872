import type { OutlineNode } from './browser.ts'
import { outlineLines, type OutlineLine } from './outline.ts'

export interface FoundElement {
  ref: string
  /** As it stands in the outline. */
  text: string
  /** The nearest heading or named part above it. */
  within?: string
}

const partRoles = /^(heading|region|navigation|main|form|dialog|article|list|table|group|row|tabpanel|search|banner)$/

/**
 * Elements whose words hold all of the words that are looked for; those of the role alone where no words are given. What
 * holds them itself goes before what only holds something that does.
 */
export function findElements(
  outline: readonly OutlineNode[],
  { words, role }: { words: string; role?: string | undefined },
): FoundElement[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const lines = outlineLines(outline)
  const found: { element: FoundElement; score: number }[] = []
  const above: OutlineLine[] = []
  let heading: string | undefined
  for (const line of lines) {
    const { depth, element } = line
    while ((above.at(-1)?.depth ?? -1) >= depth) above.pop()
    if (element?.role === 'heading') heading = element.name ?? element.text
    const score = element?.ref === undefined ? 0 : scoreOf(element, wanted, role)
    if (score > 0 && element?.ref !== undefined) {
      const part = above.findLast((one) => one.element?.name !== undefined && partRoles.test(one.element.role))
      const within = part?.element?.name ?? heading
      found.push({ element: { ref: element.ref, text: line.text, ...(within && { within }) }, score })
    }
    if (element !== undefined) above.push(line)
  }
  return found.toSorted((one, other) => other.score - one.score).map(({ element }) => element)
}

function scoreOf(node: Exclude<OutlineNode, string>, wanted: readonly string[], role: string | undefined): number {
  if (role !== undefined && node.role !== role.toLowerCase()) return 0
  if (wanted.length === 0) return 1
  const own = [
    node.name,
    node.text,
    node['placeholder'],
    ...(node.children ?? []).filter((child) => typeof child === 'string'),
  ]
    .join(' ')
    .toLowerCase()
  if (!wanted.every((word) => own.includes(word))) return 0
  // Short names that are all about what is looked for come first.
  return 1 + wanted.join(' ').length / Math.max(own.trim().length, 1)
}
