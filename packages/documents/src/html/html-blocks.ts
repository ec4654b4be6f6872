import { Parser } from 'htmlparser2'
import { type Block, tableBlocks } from '../text/blocks.ts'
import { markdownLink, markdownPicture, oneLine } from '../text/markdown.ts'

export interface HtmlText {
  title: string
  blocks: Block[]
  /** Content that a browser does not show was left out. */
  hasHidden: boolean
}

interface Table {
  rows: string[][]
  /** Text of the open cell. Undefined between cells. */
  cell: string | undefined
  span: number
}

const skipped = new Set(['script', 'style', 'template', 'noscript', 'svg', 'object', 'iframe', 'select', 'textarea'])
const blockTags = new Set(
  'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form header hr legend li main nav ol option p pre section summary table tbody td tfoot th thead tr ul h1 h2 h3 h4 h5 h6'.split(
    ' ',
  ),
)
const voidTags = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr'])
const maxBlocks = 1_000_000
/** The parser takes time with the square of the depth. */
const maxDepth = 10_000

/**
 * Turns HTML into blocks in one pass. Throws if it is nested extremely deep. Scripts and what is hidden by a style or an
 * attribute are left out, and nothing is loaded.
 */
export function htmlBlocks(source: string): HtmlText {
  const blocks: Block[] = []
  const lists: { isOrdered: boolean; count: number }[] = []
  const tables: Table[] = []
  const links: { target: string | undefined; from: number }[] = []
  let text = ''
  let title = ''
  let label = ''
  let heading: number | undefined
  let pre = 0
  let isTitle = false
  let hasHidden = false
  let depth = 0
  /** Tags open inside something that is left out. */
  let ignored: string[] = []

  function flush(): void {
    const content = pre > 0 ? text.trimEnd() : text.replace(/[ \t\r\n\f]*\n[ \t\r\n\f]*/g, '\n').trim()
    text = ''
    for (const link of links) link.from = 0
    if (content === '') return
    const line = `${label}${content}`
    const isList = label !== ''
    label = ''
    const table = tables.at(-1)
    if (table?.cell !== undefined) table.cell += `${table.cell === '' ? '' : '\n'}${line}`
    else if (blocks.length < maxBlocks) blocks.push(isList ? { text: line } : { text: line, heading })
  }

  function open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (blockTags.has(name)) flush()
    if (/^h[1-6]$/.test(name)) heading = Number(name[1])
    switch (name) {
      case 'title':
        isTitle = true
        break
      case 'br':
        text += '\n'
        break
      case 'pre':
        pre++
        break
      case 'ul':
      case 'ol':
        lists.push({ isOrdered: name === 'ol', count: Number(attributes['start'] ?? 1) - 1 || 0 })
        break
      case 'li': {
        const list = lists.at(-1)
        if (list !== undefined) list.count++
        label = `${'  '.repeat(Math.min(20, Math.max(0, lists.length - 1)))}${list?.isOrdered === true ? `${list.count}.` : '-'} `
        break
      }
      case 'a':
        links.push({ target: attributes['href'], from: text.length })
        break
      case 'img':
        picture(attributes)
        break
      case 'input':
        if (attributes['type'] === 'checkbox' || attributes['type'] === 'radio')
          text += attributes['checked'] === undefined ? '[ ] ' : '[x] '
        else if (attributes['value'] !== undefined && attributes['type'] !== 'hidden')
          text += `[${attributes['value']}] `
        break
      case 'table':
        tables.push({ rows: [], cell: undefined, span: 1 })
        break
      case 'tr':
        endCell()
        tables.at(-1)?.rows.push([])
        break
      case 'td':
      case 'th': {
        endCell()
        const table = tables.at(-1)
        if (table === undefined) break
        if (table.rows.length === 0) table.rows.push([])
        table.cell = ''
        table.span = Math.min(100, Number(attributes['colspan'] ?? 1) || 1)
        break
      }
    }
  }

  function picture(attributes: Readonly<Record<string, string>>): void {
    const isPixel = /^[01](px)?$/.test(attributes['width'] ?? '') || /^[01](px)?$/.test(attributes['height'] ?? '')
    const source = attributes['src'] ?? ''
    const alt = attributes['alt'] ?? ''
    if (isPixel || (source === '' && alt === '')) return
    text += markdownPicture(alt, source.startsWith('data:') ? source.slice(0, source.indexOf(';')) : source)
  }

  function endCell(): void {
    flush()
    const table = tables.at(-1)
    if (table?.cell === undefined) return
    const row = table.rows.at(-1)
    if (row !== undefined && row.length < 1000) row.push(table.cell, ...Array<string>(table.span - 1).fill('←'))
    table.cell = undefined
  }

  function endTable(): void {
    endCell()
    const table = tables.pop()
    if (table === undefined) return
    const rows = table.rows.filter((row) => row.some((cell) => cell.trim() !== ''))
    const outer = tables.at(-1)
    // Tables with one column, and tables in tables, are layout.
    const isLayout = rows.every((row) => row.filter((cell) => cell !== '' && cell !== '←').length <= 1)
    const lines = isLayout
      ? rows.flatMap((row) => row.flatMap((cell) => (cell === '←' ? [] : cell.split('\n'))))
      : outer?.cell === undefined
        ? tableBlocks(rows).map((block) => block.text)
        : rows.map((row) => row.filter((cell) => cell !== '←').join(' ; '))
    for (const line of lines) {
      if (line.trim() === '') continue
      if (outer?.cell !== undefined) outer.cell += `${outer.cell === '' ? '' : '\n'}${line}`
      else blocks.push({ text: line })
    }
  }

  function close(name: string): void {
    if (name === 'title') isTitle = false
    if (name === 'a') {
      const link = links.pop()
      if (link !== undefined) {
        const target = link.target?.startsWith('#') === true ? undefined : link.target
        const inner = text.slice(link.from)
        const shown = markdownLink(inner.trim(), target)
        text = `${text.slice(0, link.from)}${/^\s/.test(inner) ? ' ' : ''}${shown}${/\s$/.test(inner) ? ' ' : ''}`
      }
    }
    if (name === 'td' || name === 'th' || name === 'tr') endCell()
    else if (name === 'table') endTable()
    else if (blockTags.has(name)) flush()
    if (/^h[1-6]$/.test(name)) heading = undefined
    if (name === 'pre') pre = Math.max(0, pre - 1)
    if (name === 'ul' || name === 'ol') lists.pop()
    if (name === 'li') label = ''
  }

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > maxDepth) throw new Error('The page is nested too deeply to be read as text.')
        if (ignored.length > 0) {
          if (!voidTags.has(name)) ignored.push(name)
          return
        }
        const isHidden = isHiddenElement(attributes)
        if (isHidden) hasHidden = true
        if ((skipped.has(name) || isHidden) && !voidTags.has(name)) ignored.push(name)
        else if (!isHidden) open(name, attributes)
      },
      ontext(data) {
        if (ignored.length > 0) return
        if (isTitle) title += data
        else if (pre > 0) text += data
        else text += data.replace(/[ \t\r\n\f]+/g, ' ')
      },
      onclosetag(name) {
        depth--
        if (ignored.length > 0) {
          const at = ignored.lastIndexOf(name)
          if (at !== -1) ignored = ignored.slice(0, at)
          return
        }
        if (!voidTags.has(name)) close(name)
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  parser.end(source)
  while (tables.length > 0) endTable()
  flush()
  return { title: oneLine(title), blocks, hasHidden }
}

function isHiddenElement({ hidden, style, type }: Readonly<Record<string, string>>): boolean {
  if (hidden !== undefined) return true
  if (
    style !== undefined &&
    /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|mso-hide\s*:\s*all/i.test(style)
  )
    return true
  return type === 'hidden'
}
