import type { OutlineNode } from './browser.ts'

type Element = Exclude<OutlineNode, string>

const longestText = 300
const longestUrl = 200
const states = ['level', 'checked', 'disabled', 'expanded', 'active', 'invalid', 'pressed', 'selected'] as const

/** One line of an outline. */
export interface OutlineLine {
  depth: number
  text: string
  /** Absent for what is mere text. */
  element?: Element
}

/** An outline as lines, without the boxes that only hold others. */
export function outlineLines(nodes: readonly OutlineNode[], depth = 0): OutlineLine[] {
  return nodes.flatMap((node): OutlineLine[] => {
    if (typeof node === 'string')
      return node.trim() === '' ? [] : [{ depth, text: `text: ${short(node, longestText)}` }]
    const children = node.children ?? []
    if (isBox(node)) return outlineLines(children, depth)
    return [{ depth, text: elementText(node), element: node }, ...outlineLines(children, depth + 1)]
  })
}

/** As much of the lines as there is room for, and a word on what is left out. */
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
        `[${lines.length - shown.length} more lines. Look at a part with "ref", find elements with BrowserObserve, or read the text with BrowserExtract]`,
      )
      break
    }
    shown.push(line)
  }
  return { text: shown.join('\n'), elements }
}

/** The part of an outline that belongs to an element. */
export function outlineOf(nodes: readonly OutlineNode[], ref: string): OutlineNode | undefined {
  for (const node of nodes) {
    if (typeof node === 'string') continue
    if (node.ref === ref) return node
    const found = outlineOf(node.children ?? [], ref)
    if (found !== undefined) return found
  }
  return undefined
}

/** `button "Send" [disabled] [ref=e8]`, with where a link leads and what a field holds. */
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

/** Says nothing itself and cannot be clicked. */
function isBox({ role, name, text, cursor, children }: Element): boolean {
  const isPlain = role === 'generic' || role === 'none' || role === 'presentation'
  return isPlain && !name && !text && (cursor !== 'pointer' || (children ?? []).length === 0)
}

function short(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line
}
