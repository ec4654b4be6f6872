import type { FieldValue, UiElement, UiNode } from '@troupe/protocol'
import type { ExportTexts } from './languages/en.ts'

export function uiPieces(root: UiElement, texts: ExportTexts, values: Record<string, unknown> = {}): ExportPiece[] {
  return pieces(root)

  function pieces(node: UiNode): ExportPiece[] {
    if (typeof node === 'string') return textPiece(node)
    const { type, attributes, children } = node
    const below = (): ExportPiece[] => inLines(children).flatMap(pieces)
    const attribute = (name: string): string => {
      const value = attributes[name]
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    }
    switch (type) {
      case 'Card':
      case 'Section':
      case 'Callout':
      case 'Form':
      case 'Details':
        return [
          ...strongPiece(attribute('title') || attribute('summary')),
          ...textPiece(attribute('subtitle')),
          ...below(),
        ]
      case 'Heading':
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
        return strongPiece(nodeText(node))
      case 'Stat':
        return textPiece([labelled(attribute('label'), attribute('value')), attribute('change')].join(' '))
      case 'Fact':
        return textPiece(labelled(attribute('label'), nodeText(node)))
      case 'Progress': {
        const max = attribute('max')
        return textPiece(labelled(attribute('label'), `${attribute('value')}${max === '' ? '' : ` / ${max}`}`))
      }
      case 'Step':
        return listItem(`${attributes['done'] === true ? '☑' : '☐'} ${labelled(attribute('title'), nodeText(node))}`)
      case 'Item':
      case 'li':
        return listItem(nodeText(node))
      case 'Link':
        return textPiece(`${nodeText(node)} <${attribute('href')}>`)
      case 'Image':
        return [picture(attribute('src'), attribute('alt'))]
      case 'Code':
      case 'CodeBlock':
      case 'pre':
        return [{ kind: 'code', text: nodeText(node) }]
      case 'Markdown':
        return [{ kind: 'markdown', text: nodeText(node) }]
      case 'Quote':
      case 'blockquote':
        return textPiece([`“${nodeText(node)}”`, attribute('source')].filter((one) => one !== '').join(' — '))
      case 'Table':
      case 'table':
        return table(node)
      case 'Button':
        return textPiece(`[${attribute('label')}]`)
      case 'TextField':
      case 'TextArea':
      case 'Select':
      case 'Radio':
      case 'Checkbox':
      case 'Slider':
        return textPiece(labelled(attribute('label'), valueText(values[attribute('name')])))
      case 'Stack':
      case 'Row':
      case 'Grid':
      case 'List':
      case 'Steps':
      case 'ul':
      case 'ol':
      case 'div':
        return below()
      default:
        return textPiece(nodeText(node))
    }
  }

  function valueText(value: unknown): string {
    const given = value as FieldValue | undefined
    if (typeof given === 'boolean') return given ? texts.yes : texts.no
    if (Array.isArray(given)) return given.join(', ')
    return typeof given === 'string' || typeof given === 'number' ? String(given) : '…'
  }

  function picture(src: string, alt: string): ExportPiece {
    const sha256 = /^\/ai\/blobs\/([0-9a-f]{64})$/.exec(src)?.[1]
    const name = alt === '' ? texts.picture(1) : alt
    if (sha256 !== undefined) return { kind: 'picture', name, sha256 }
    const [, mediaType = '', base64 = ''] = /^data:([\w/+.-]+);base64,(.*)$/.exec(src) ?? []
    return { kind: 'picture', name, inline: { mediaType, base64 } }
  }
}

function table(node: UiElement): ExportPiece[] {
  const { caption, columns, rows } = node.attributes
  const title = typeof caption === 'string' ? caption : ''
  if (Array.isArray(rows)) {
    const head = Array.isArray(columns) ? [columns as string[]] : []
    return [{ kind: 'table', caption: title, rows: [...head, ...(rows as string[][])], hasHead: head.length > 0 }]
  }
  const found = rowsIn(node)
  const cells = found.map(({ children }) =>
    children.flatMap((cell) => (typeof cell === 'string' ? [] : [nodeText(cell)])),
  )
  const hasHead = found[0]?.children.some((cell) => typeof cell !== 'string' && cell.type === 'th') ?? false
  return cells.length === 0 ? [] : [{ kind: 'table', caption: title, rows: cells, hasHead }]
}

function rowsIn(node: UiElement): UiElement[] {
  return node.children.flatMap((child) =>
    typeof child === 'string' ? [] : child.type === 'tr' ? [child] : rowsIn(child),
  )
}

const inlineTags = new Set('strong b em i s u small sub sup mark code kbd span'.split(' '))

/** Merges adjacent inline nodes into one line. */
function inLines(children: readonly UiNode[]): UiNode[] {
  const lines: UiNode[] = []
  let line: UiNode[] = []
  for (const child of [...children, undefined]) {
    if (child !== undefined && (typeof child === 'string' || inlineTags.has(child.type))) line.push(child)
    else {
      if (line.length > 0) lines.push({ type: 'span', attributes: {}, children: line })
      line = []
      if (child !== undefined) lines.push(child)
    }
  }
  return lines
}

/** Joins inline text across tags, and separates block elements. */
function nodeText(node: UiNode): string {
  if (typeof node === 'string') return node
  const { type, children } = node
  const pieces = children.map((child, index) => {
    if (typeof child === 'string') return typeof children[index - 1] === 'string' ? ` ${child}` : child
    return inlineTags.has(child.type) ? nodeText(child) : ` ${nodeText(child)} `
  })
  return inlineTags.has(type) ? pieces.join('') : pieces.join('').trim()
}

function labelled(label: string, value: string): string {
  return [label, value].filter((one) => one !== '').join(': ')
}

function textPiece(text: string): ExportPiece[] {
  const line = text.replace(/[ \t]+/g, ' ').trim()
  return line === '' ? [] : [{ kind: 'text', text: line }]
}

function strongPiece(text: string): ExportPiece[] {
  return textPiece(text).map((piece) => ({ ...piece, strong: true }) as ExportPiece)
}

function listItem(text: string): ExportPiece[] {
  return textPiece(text).map((piece) => ({ ...piece, kind: 'item' }) as ExportPiece)
}

/** Output of a call in a form that is readable without the page. */
export type ExportPiece =
  | { kind: 'text'; text: string; strong?: true }
  | { kind: 'note'; text: string }
  | { kind: 'item'; text: string }
  | { kind: 'markdown'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'table'; caption: string; rows: string[][]; hasHead: boolean }
  | PicturePiece

/** One of our blobs, or inline bytes. */
export interface PicturePiece {
  kind: 'picture'
  name: string
  mediaType?: string
  sha256?: string
  inline?: { mediaType: string; base64: string }
}
