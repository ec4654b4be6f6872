import { z } from 'zod'
import type { OutlineNode } from '../tool/tool.ts'

type Element = Exclude<OutlineNode, string>

const longestText = 300
const longestUrl = 200
const states = ['level', 'checked', 'disabled', 'expanded', 'active', 'invalid', 'pressed', 'selected'] as const

interface OutlineLine {
  depth: number
  text: string
  /** Absent for plain text. */
  element?: Element
}

/** Flattens an outline to lines and skips boxes that only wrap other nodes. */
function outlineLines(nodes: readonly OutlineNode[], depth = 0): OutlineLine[] {
  return nodes.flatMap((node): OutlineLine[] => {
    if (typeof node === 'string')
      return node.trim() === '' ? [] : [{ depth, text: `text: ${short(node, longestText)}` }]
    const children = node.children ?? []
    if (isBox(node)) return outlineLines(children, depth)
    return [{ depth, text: elementText(node), element: node }, ...outlineLines(children, depth + 1)]
  })
}

/** Renders as many lines as fit in `room` characters, and notes how many are left out. */
export function showOutline(nodes: readonly OutlineNode[], room: number): { text: string; elements: number } {
  const lines = outlineLines(nodes)
  const elements = lines.filter(({ element }) => element?.ref !== undefined).length
  const shown: string[] = []
  let length = 0
  for (const { depth, text } of lines) {
    const line = `${'  '.repeat(Math.min(depth, 20))}- ${text}`
    length += line.length + 1
    if (length > room) {
      shown.push(
        `[${lines.length - shown.length} more lines. Use "ref" to look at one part, BrowserObserve to find elements, or BrowserExtract to read the text]`,
      )
      break
    }
    shown.push(line)
  }
  return { text: shown.join('\n'), elements }
}

export function outlineOf(nodes: readonly OutlineNode[], ref: string): OutlineNode | undefined {
  for (const node of nodes) {
    if (typeof node === 'string') continue
    if (node.ref === ref) return node
    const found = outlineOf(node.children ?? [], ref)
    if (found !== undefined) return found
  }
  return undefined
}

/** Formats as `button "Send" [disabled] [ref=e8]`, plus the target of a link and the value of a field. */
export function elementText(node: Element): string {
  const { role, name, text, ref, url } = node
  const marks = states.flatMap((state) => {
    const value = node[state]
    if (value === true) return [`[${state}]`]
    return typeof value === 'string' || typeof value === 'number' ? [`[${state}=${short(`${value}`, 40)}]`] : []
  })
  const line = [
    role,
    ...(name === undefined || name === '' ? [] : [`"${short(name, longestText)}"`]),
    ...marks,
    ...(ref === undefined ? [] : [`[ref=${ref}]`]),
    ...(url === undefined ? [] : [`-> ${short(url, longestUrl)}`]),
  ].join(' ')
  return text === undefined || text === '' ? line : `${line}: ${short(text, longestText)}`
}

/** True for a wrapper with no text of its own that cannot be clicked. */
function isBox({ role, name, text, cursor, children }: Element): boolean {
  const isPlain = role === 'generic' || role === 'none' || role === 'presentation'
  return isPlain && !name && !text && (cursor !== 'pointer' || (children ?? []).length === 0)
}

function short(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line
}

export interface FoundElement {
  ref: string
  text: string
  /** Nearest heading or named section above it. */
  within?: string
}

const partRoles = /^(heading|region|navigation|main|form|dialog|article|list|table|group|row|tabpanel|search|banner)$/

/**
 * Finds elements that contain all of the words, or all elements of the role if no words are given. Ranks elements whose
 * own text matches first.
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
      found.push({ element: { ref: element.ref, text: line.text, within: within || undefined }, score })
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
  // Rank short names that closely match the query first.
  return 1 + wanted.join(' ').length / Math.max(own.trim().length, 1)
}

/** Element ref as used in outlines: `e12`, or `f1e3` in frames. */
export const elementRef = z.string().regex(/^(f\d{1,4})?e\d{1,7}$/, 'a ref from the outline, such as e12')
