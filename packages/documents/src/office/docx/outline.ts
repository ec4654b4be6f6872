import { child, contentOf, type Element, elements, valueOf } from '../../xml/edit-xml.ts'
import { localName } from '../../xml/parse-xml.ts'
import { type Docx, paragraphsOf, stories, stylesOf } from './document.ts'
import { cellTexts } from './tables.ts'

/** The document as lines for a diff: paragraphs, table rows, headers, notes and comments. */
export function outlineDocx(docx: Docx): string[] {
  const styles = stylesOf(docx)
  const lines: string[] = []
  for (const { name, root } of stories(docx)) {
    if (name === '') addBlocks(docx.body, lines, styles)
    else
      for (const paragraph of paragraphsOf(root)) {
        const text = reviewedText(paragraph)
        if (text.trim() !== '') lines.push(`${name}: ${text}`)
      }
  }
  const comments = docx.pkg.related(docx.main, 'comments')
  if (comments !== undefined)
    for (const comment of elements(docx.pkg.root(comments), 'comment'))
      lines.push(`Comment by ${valueOf(comment, 'author') ?? ''}: ${contentOf(comment)}`)
  return lines
}

type Styles = ReturnType<typeof stylesOf>

function addBlocks(parent: Element, lines: string[], styles: Styles): void {
  for (const block of elements(parent)) {
    const local = localName(block.name)
    if (local === 'p') lines.push(paragraphLine(block, styles))
    else if (local === 'tbl') for (const row of cellTexts(block)) lines.push(`| ${row.join(' | ')} |`)
    else if (local === 'sdt') addBlocks(child(block, 'sdtContent') ?? block, lines, styles)
  }
}

function paragraphLine(paragraph: Element, styles: Styles): string {
  const properties = child(paragraph, 'pPr')
  const id = valueOf(child(properties, 'pStyle'), 'val') ?? ''
  const name = styles.get(id)?.name ?? id
  const level = /^heading (\d)$/i.exec(name)?.[1]
  const isItem = child(properties, 'numPr') !== undefined
  const look = [valueOf(child(properties, 'jc'), 'val'), ...runLooks(paragraph)].filter((each) => each !== undefined)
  const shown = level === undefined && !isItem && !/^(normal|list paragraph)?$/i.test(name) ? [name, ...look] : look
  const mark = level !== undefined ? `${'#'.repeat(Number(level))} ` : isItem ? '- ' : ''
  return `${mark}${reviewedText(paragraph)}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`
}

/** Formatting that all runs of a paragraph share. */
function runLooks(paragraph: Element): string[] {
  const runs = elements(paragraph, 'r').map((run) => child(run, 'rPr'))
  const names: Record<string, string> = { b: 'bold', i: 'italic', u: 'underlined' }
  if (runs.length === 0) return []
  const looks = Object.keys(names).filter((local) =>
    runs.every((properties) => {
      const found = child(properties, local)
      return found !== undefined && !/^(0|false|none)$/.test(valueOf(found, 'val') ?? '')
    }),
  )
  const values = ['color', 'sz'].flatMap((local) => {
    const all = new Set(runs.map((properties) => valueOf(child(properties, local), 'val')))
    const [only] = all
    if (all.size !== 1 || only === undefined) return []
    return [local === 'sz' ? `${Number(only) / 2} pt` : only]
  })
  return [...looks.map((local) => names[local]!), ...values]
}

/** The text with tracked changes: `{+added+}` and `[-removed-]`. */
function reviewedText(node: Element): string {
  return elements(node)
    .map((each): string => {
      const local = localName(each.name)
      if (local === 'pPr' || local === 'rPr') return ''
      if (local === 'ins' || local === 'moveTo') return mark('{+', reviewedText(each), '+}')
      if (local === 'del' || local === 'moveFrom') return mark('[-', reviewedText(each), '-]')
      if (local === 't' || local === 'delText') return contentOf(each)
      if (local === 'tab') return '\t'
      if (local === 'br' || local === 'cr') return valueOf(each, 'type') === 'page' ? '⏎ page' : ' ⏎ '
      if (local === 'instrText') return /^\s*TOC\b/.test(contentOf(each)) ? '(table of contents) ' : ''
      if (local === 'footnoteReference') return `[^${valueOf(each, 'id')}]`
      if (local === 'commentReference') return '(comment)'
      if (local === 'drawing' || local === 'pict') return '(picture)'
      return local === 'Fallback' ? '' : reviewedText(each)
    })
    .join('')
}

function mark(before: string, text: string, after: string): string {
  return text === '' ? '' : `${before}${text}${after}`
}
