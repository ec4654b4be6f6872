import Turndown from 'turndown'

/** What is used of a node; the types of browsers are not known here. */
export interface TreeNode {
  nodeName: string
  nodeType: number
  parentNode: TreeNode | null
  previousSibling: TreeNode | null
  childNodes: Iterable<TreeNode>
}

/** From a tree to Markdown with tables, or to text without links, images and emphasis. */
export function createTurndown(format: 'markdown' | 'text'): Turndown {
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    emDelimiter: '*',
  })
  turndown.addRule('cell', { filter: ['td', 'th'], replacement: (content) => ` ${tableCellText(content)} |` })
  turndown.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => tableRow(content, node as unknown as TreeNode),
  })
  turndown.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` })
  turndown.addRule('table parts', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
  const numbers = new WeakMap<TreeNode, number>()
  turndown.addRule('list item', {
    filter: 'li',
    replacement: (content, node) => listItem(content, node as unknown as TreeNode, numbers),
  })
  if (format === 'markdown') return turndown
  turndown.addRule('plain', { filter: ['a', 'em', 'i', 'strong', 'b', 'code'], replacement: (content) => content })
  turndown.addRule('no images', { filter: 'img', replacement: () => '' })
  turndown.escape = (text) => text
  return turndown
}

function tableCellText(content: string): string {
  return content
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
}

function tableRow(content: string, node: TreeNode): string {
  const cells = Array.from(node.childNodes).filter((child) => /^T[DH]$/.test(child.nodeName)).length
  return `\n|${content}${isFirstRow(node) ? `\n|${' --- |'.repeat(cells)}` : ''}`
}

/** The first row of a table, in whichever part of it. */
function isFirstRow(node: TreeNode): boolean {
  if (previousElement(node) !== null) return false
  const part = node.parentNode
  if (part === null || !/^T(BODY|FOOT)$/.test(part.nodeName)) return true
  const before = previousElement(part)
  return before === null || !/^T(HEAD|BODY)$/.test(before.nodeName)
}

/** With one blank after its mark, where turndown puts three. Items come in their order, so counting them numbers them. */
function listItem(content: string, { parentNode: list }: TreeNode, numbers: WeakMap<TreeNode, number>): string {
  const number = (list === null ? 0 : (numbers.get(list) ?? 0)) + 1
  if (list !== null) numbers.set(list, number)
  const mark = list?.nodeName === 'OL' ? `${number}. ` : '- '
  const indented = content.trim().replace(/\n(?!\n)/g, `\n${' '.repeat(mark.length)}`)
  return `${mark}${indented}\n`
}

function previousElement(node: TreeNode): TreeNode | null {
  let previous = node.previousSibling
  while (previous !== null && previous.nodeType !== 1) previous = previous.previousSibling
  return previous
}
