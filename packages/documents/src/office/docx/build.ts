import { append, below, child, type Element, elements, fragment, valueOf, xmlText } from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { type Block, parseInline, parseMarkdown, type Run } from '../shared/markdown.ts'
import { declaration, declarePrefix } from '../shared/package.ts'
import { fitPicture, readPicture } from '../shared/pictures.ts'
import { type Docx, stylesOf, useRelationshipPrefix, useWordPrefixes } from './document.ts'
import { textXml } from './paragraph-text.ts'
import { ensureOtherStyle, ensureStyle, newList } from './styles.ts'

export interface Target {
  /** The part that gets the text, for pictures and links. */
  part: string
  /** A paragraph whose look plain text takes over. */
  like?: Element | undefined
  /** Attributes of a tracked insertion. */
  mark?: (() => string) | undefined
}

/** Turns Markdown into paragraphs and tables of a document. */
export function buildBlocks(docx: Docx, markdown: string, target: Target): Element[] {
  const lists = new Map<number, string>()
  return parseMarkdown(markdown).flatMap((block) => fragment(blockXml(docx, block, target, lists)))
}

function blockXml(docx: Docx, block: Block, target: Target, lists: Map<number, string>): string {
  switch (block.kind) {
    case 'heading':
      return paragraphXml(
        `<w:pStyle w:val="${ensureStyle(docx, `heading ${block.level}`)}"/>`,
        inline(docx, block.runs, target),
        target,
      )
    case 'item': {
      const key = block.list
      const list = lists.get(key) ?? newList(docx, block.isOrdered, block.start)
      lists.set(key, list)
      const style = ensureStyle(docx, 'list paragraph')
      const properties = `<w:pStyle w:val="${style}"/><w:numPr><w:ilvl w:val="${block.level}"/><w:numId w:val="${list}"/></w:numPr>`
      return paragraphXml(properties, inline(docx, block.runs, target), target)
    }
    case 'paragraph':
      if (block.isQuote === true)
        return paragraphXml(
          `<w:pStyle w:val="${ensureStyle(docx, 'quote')}"/>`,
          inline(docx, block.runs, target),
          target,
        )
      return paragraphXml(plainProperties(docx, target.like), inline(docx, block.runs, target), target)
    case 'code': {
      const style = ensureStyle(docx, 'code')
      const lines = block.text.split('\n')
      return lines
        .map((line) =>
          paragraphXml(`<w:pStyle w:val="${style}"/>`, tracked(`<w:r>${textXml(line)}</w:r>`, target), target),
        )
        .join('')
    }
    case 'rule':
      return paragraphXml('<w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="auto"/></w:pBdr>', '', target)
    case 'page-break':
      return paragraphXml('', tracked('<w:r><w:br w:type="page"/></w:r>', target), target)
    case 'table':
      return tableXml(docx, block.rows, block.align, target)
  }
}

function paragraphXml(properties: string, content: string, { mark }: Target): string {
  const end = mark === undefined ? '' : `<w:rPr><w:ins ${mark()}/></w:rPr>`
  const inner = `${properties}${end}`
  return `<w:p>${inner === '' ? '' : `<w:pPr>${inner}</w:pPr>`}${content}</w:p>`
}

const copied = ['pStyle', 'widowControl', 'bidi', 'spacing', 'ind', 'jc']

/** Style, spacing and alignment of a neighbor, unless it is a heading or a list. */
function plainProperties(docx: Docx, like: Element | undefined): string {
  const properties = child(like, 'pPr')
  if (properties === undefined || child(properties, 'numPr') !== undefined) return ''
  const style = stylesOf(docx).get(valueOf(child(properties, 'pStyle'), 'val') ?? '')
  if (style !== undefined && !/^(normal|body text|text body|no spacing)/i.test(style.name)) return ''
  return elements(properties)
    .filter(({ name }) => copied.includes(name.slice(name.indexOf(':') + 1)))
    .map(xmlText)
    .join('')
}

export function inline(docx: Docx, runs: readonly Run[], target: Target): string {
  return runs.map((run) => tracked(runXml(docx, run, target), target)).join('')
}

function tracked(xml: string, { mark }: Target): string {
  return mark === undefined || xml === '' ? xml : `<w:ins ${mark()}>${xml}</w:ins>`
}

function runXml(docx: Docx, run: Run, target: Target): string {
  if (run.isBreak === true) return '<w:r><w:br/></w:r>'
  if (run.image !== undefined) return pictureXml(docx, run.image, target)
  const font = child(
    target.like?.children.find((each): each is Element => each.name?.endsWith(':r') === true),
    'rPr',
  )
  const own = `${run.code === true ? '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/>' : likeFonts(font)}${run.bold === true ? '<w:b/><w:bCs/>' : ''}${run.italic === true ? '<w:i/><w:iCs/>' : ''}${run.strike === true ? '<w:strike/>' : ''}${run.link === undefined ? '' : '<w:color w:val="0563C1"/><w:u w:val="single"/>'}`
  const properties = own === '' ? '' : `<w:rPr>${own}</w:rPr>`
  const text = run.text === '' ? '' : `<w:r>${properties}${textXml(run.text)}</w:r>`
  const note = run.footnote === undefined ? '' : footnoteReference(docx, run.footnote)
  if (run.link === undefined || !/^(https?|mailto|ftp):/i.test(run.link)) return text + note
  useRelationshipPrefix(docx, docx.pkg.root(target.part))
  const id = docx.pkg.relate(target.part, 'hyperlink', run.link, { external: true })
  return `<w:hyperlink r:id="${id}">${text}</w:hyperlink>${note}`
}

/** The fonts of a neighbor, so that new text looks like the rest. Its size comes from the style. */
function likeFonts(properties: Element | undefined): string {
  return elements(properties)
    .filter(({ name }) => /(^|:)rFonts$/.test(name))
    .map(xmlText)
    .join('')
}

function tableXml(docx: Docx, rows: readonly Run[][][], align: readonly (string | null)[], target: Target): string {
  const style = ensureOtherStyle(
    docx,
    'table',
    'Table Grid',
    'TableGrid',
    `<w:pPr><w:spacing w:after="0"/></w:pPr><w:tblPr><w:tblBorders>${['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map((side) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="auto"/>`).join('')}</w:tblBorders></w:tblPr>`,
  )
  const columns = Math.max(1, ...rows.map((row) => row.length))
  const width = Math.floor(9000 / columns)
  const grid = `<w:gridCol w:w="${width}"/>`.repeat(columns)
  const body = rows.map((row, index) => {
    const cells = Array.from({ length: columns }, (_, column) => {
      const runs = (row[column] ?? []).map((run) => (index === 0 ? { ...run, bold: true } : run))
      const side = align[column]
      const properties = side === null || side === undefined || side === 'left' ? '' : `<w:jc w:val="${side}"/>`
      const content = paragraphXml(properties, inline(docx, runs, { ...target, like: undefined }), target)
      return `<w:tc><w:tcPr><w:tcW w:w="${width}" w:type="dxa"/></w:tcPr>${content}</w:tc>`
    })
    const inserted = target.mark === undefined ? '' : `<w:ins ${target.mark()}/>`
    const properties = `${index === 0 ? '<w:tblHeader/>' : ''}${inserted}`
    return `<w:tr>${properties === '' ? '' : `<w:trPr>${properties}</w:trPr>`}${cells.join('')}</w:tr>`
  })
  return `<w:tbl><w:tblPr><w:tblStyle w:val="${style}"/><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${body.join('')}</w:tbl><w:p/>`
}

const drawingAddress = 'http://schemas.openxmlformats.org/drawingml/2006'

function pictureXml(docx: Docx, { path, alt }: { path: string; alt: string }, { part }: Target): string {
  const picture = readPicture(docx.pictures, path)
  const media = docx.pkg.add(`word/media/image%.${picture.extension}`, picture.bytes, `image/${picture.extension}`)
  const root = docx.pkg.root(part)
  useRelationshipPrefix(docx, root)
  declarePrefix(root, 'wp', `${drawingAddress}/wordprocessingDrawing`)
  const id = docx.pkg.relate(part, 'image', media)
  const { width, height } = fitPicture(picture, { width: 5_760_000, height: 8_000_000 })
  const number =
    Math.max(0, ...below(root, 'docPr').map((each) => Number(valueOf(each, 'id') ?? 0) || 0)) +
    1 +
    docx.pkg.names().length
  const name = escapeXml(alt === '' ? path : alt)
  return `<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="${width}" cy="${height}"/><wp:docPr id="${number}" name="Picture ${number}" descr="${name}"/><a:graphic xmlns:a="${drawingAddress}/main"><a:graphicData uri="${drawingAddress}/picture"><pic:pic xmlns:pic="${drawingAddress}/picture"><pic:nvPicPr><pic:cNvPr id="${number}" name="${name}"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="${id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${width}" cy="${height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`
}

/** Adds a footnote and returns the run that refers to it. */
export function footnoteReference(docx: Docx, text: string): string {
  const { pkg, main } = docx
  let part = pkg.related(main, 'footnotes')
  if (part === undefined) {
    const separator = (id: number, type: string, mark: string): string =>
      `<w:footnote w:type="${type}" w:id="${id}"><w:p><w:r><w:${mark}/></w:r></w:p></w:footnote>`
    part = pkg.add(
      'word/footnotes.xml',
      `${declaration}<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${separator(-1, 'separator', 'separator')}${separator(0, 'continuationSeparator', 'continuationSeparator')}</w:footnotes>`,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml',
    )
    pkg.relate(main, 'footnotes', part)
  }
  const root = pkg.root(part)
  useWordPrefixes(pkg, root)
  const id = Math.max(0, ...elements(root, 'footnote').map((each) => Number(valueOf(each, 'id') ?? 0))) + 1
  const style = ensureStyle(docx, 'footnote text')
  const mark = ensureOtherStyle(
    docx,
    'character',
    'footnote reference',
    'FootnoteReference',
    '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>',
  )
  const content = inline(docx, [{ text: ' ' }, ...parseInline(text).map(({ footnote: _, ...run }) => run)], { part })
  append(
    root,
    ...fragment(
      `<w:footnote w:id="${id}"><w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:rPr><w:rStyle w:val="${mark}"/></w:rPr><w:footnoteRef/></w:r>${content}</w:p></w:footnote>`,
    ),
  )
  return `<w:r><w:rPr><w:rStyle w:val="${mark}"/></w:rPr><w:footnoteReference w:id="${id}"/></w:r>`
}
