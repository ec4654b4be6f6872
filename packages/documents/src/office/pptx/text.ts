import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  below,
  child,
  contentOf,
  type Element,
  elements,
  fragment,
  remove,
  setText,
  valueOf,
  xmlText,
} from '../../xml/edit-xml.ts'
import { escapeXml, localName } from '../../xml/parse-xml.ts'
import { type Block, parseMarkdown, type Run } from '../shared/markdown.ts'
import { nearestNote } from '../shared/nearest.ts'
import {
  paragraphText,
  type Pptx,
  shapeTree,
  type Slide,
  slideAt,
  slideParagraphs,
  slidesOf,
  usePrefixes,
} from './presentation.ts'

export function replaceOnSlides(pptx: Pptx, action: OfficeActionOf<'replace_text'>): void {
  const { find, replace, all = false, ignore_case = false } = action
  if (action.tracked === true) throw new Error('presentations have no tracked changes.')
  const texts: string[] = []
  const found: { paragraph: Element; from: number }[] = []
  let inFields = 0
  const roots = slidesOf(pptx).flatMap(({ root, part }) => {
    const noted = pptx.pkg.related(part, 'notesSlide')
    return noted === undefined ? [root] : [root, pptx.pkg.root(noted)]
  })
  for (const root of roots)
    for (const paragraph of slideParagraphs(root)) {
      const text = paragraphText(paragraph)
      texts.push(text)
      const [where, what] = ignore_case ? [text.toLowerCase(), find.toLowerCase()] : [text, find]
      for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + what.length)) {
        if (
          segments(paragraph).some(
            (each) => each.isField && each.start < at + what.length && each.start + each.text.length > at,
          )
        )
          inFields++
        else found.push({ paragraph, from: at })
      }
    }
  if (found.length === 0)
    throw new Error(
      inFields > 0
        ? `${JSON.stringify(find)} occurs only in fields, whose results are computed.`
        : `${JSON.stringify(find)} was not found in the presentation.${nearestNote(find, texts)}`,
    )
  if (found.length > 1 && !all)
    throw new Error(
      `${JSON.stringify(find)} occurs ${found.length} times. Give more of the text around it, or set "all".`,
    )
  for (const { paragraph, from } of found.toReversed()) replaceStretch(paragraph, from, from + find.length, replace)
}

interface Segment {
  node: Element
  run: Element
  text: string
  start: number
  isField: boolean
}

function segments(paragraph: Element): Segment[] {
  let start = 0
  return elements(paragraph).flatMap((run) => {
    const local = localName(run.name)
    const node = local === 'r' || local === 'fld' ? child(run, 't') : undefined
    const text = local === 'br' ? '\n' : node === undefined ? '' : contentOf(node)
    if (text === '') return []
    const segment = { node: node ?? run, run, text, start, isField: local === 'fld' }
    start += text.length
    return [segment]
  })
}

/** The new text takes the formatting of the first replaced character. */
function replaceStretch(paragraph: Element, from: number, to: number, replacement: string): void {
  let rest: string | undefined = replacement
  for (const { node, run, text, start } of segments(paragraph)) {
    if (start >= to || start + text.length <= from) continue
    const content = `${text.slice(0, Math.max(0, from - start))}${rest ?? ''}${text.slice(Math.min(text.length, Math.max(0, to - start)))}`
    if (localName(run.name) === 'br') remove(run)
    else {
      rest = undefined
      if (content === '') remove(run)
      else setText(node, content)
    }
  }
}

export function fillPlaceholder(
  pptx: Pptx,
  { slide: number, placeholder, markdown }: OfficeActionOf<'fill_placeholder'>,
): void {
  const slide = slideAt(pptx, number)
  usePrefixes(pptx, slide.root)
  fillShape(findShape(slide, placeholder), markdown)
}

export function findShape(slide: Slide, wanted: string): Element {
  const shapes = below(shapeTree(slide), 'sp')
  const name = (shape: Element): string => valueOf(child(shape, 'nvSpPr', 'cNvPr'), 'name') ?? ''
  const type = (shape: Element): string | undefined => {
    const mark = below(shape, 'ph')[0]
    return mark === undefined ? undefined : (valueOf(mark, 'type') ?? 'obj')
  }
  const key = wanted.toLowerCase()
  const types: Record<string, string[]> = {
    title: ['title', 'ctrTitle'],
    subtitle: ['subTitle'],
    body: ['body', 'obj', 'subTitle'],
    footer: ['ftr'],
  }
  const found =
    shapes.find((shape) => types[key]?.includes(type(shape) ?? '') === true) ??
    shapes.find((shape) => name(shape).toLowerCase() === key) ??
    shapes.find((shape) => valueOf(below(shape, 'ph')[0], 'idx') === wanted)
  if (found !== undefined) return found
  const names = shapes.map((shape) => `${name(shape)}${type(shape) === undefined ? '' : ` (${type(shape)})`}`)
  throw new Error(
    `Slide ${slide.number} has no placeholder ${JSON.stringify(wanted)}. It has: ${names.join(', ') || 'no shapes with text'}.`,
  )
}

/** Replaces the text of a shape. The first paragraph and its first run give the look. */
export function fillShape(shape: Element, markdown: string): void {
  let body = child(shape, 'txBody')
  if (body === undefined) {
    append(shape, ...fragment('<p:txBody><a:bodyPr/><a:lstStyle/></p:txBody>'))
    body = child(shape, 'txBody')!
  }
  const [first] = elements(body, 'p')
  const look = child(child(first, 'r'), 'rPr') ?? child(first, 'endParaRPr')
  const base = look === undefined ? undefined : xmlText(look)
  for (const paragraph of elements(body, 'p')) remove(paragraph)
  append(body, ...fragment(paragraphsXml(markdown, base)))
}

export function paragraphsXml(markdown: string, base?: string): string {
  const blocks = parseMarkdown(markdown)
  if (blocks.length === 0) return '<a:p/>'
  return blocks.map((block) => blockXml(block, base)).join('')
}

function blockXml(block: Block, base: string | undefined): string {
  switch (block.kind) {
    case 'item':
      return `<a:p>${block.level > 0 ? `<a:pPr lvl="${block.level}"/>` : ''}${runsXml(block.runs, base)}</a:p>`
    case 'heading':
      return `<a:p>${runsXml(
        block.runs.map((run) => ({ ...run, bold: true })),
        base,
      )}</a:p>`
    case 'paragraph':
      return `<a:p>${runsXml(block.runs, base)}</a:p>`
    case 'code':
      return block.text
        .split('\n')
        .map((line) => `<a:p>${runsXml([{ text: line, code: true }], base)}</a:p>`)
        .join('')
    case 'table':
      return block.rows
        .map(
          (row) =>
            `<a:p>${runsXml(
              row.flatMap((cell, index) => (index === 0 ? cell : [{ text: '\t' }, ...cell])),
              base,
            )}</a:p>`,
        )
        .join('')
    default:
      return ''
  }
}

/** Runs of a paragraph. `base` is the formatting of the text that was there. */
export function runsXml(runs: readonly Run[], base?: string): string {
  return runs
    .map(({ text, isBreak, bold, italic, strike, code }) => {
      if (isBreak === true) return '<a:br/>'
      if (text === '') return ''
      const [properties] = fragment((base ?? '<a:rPr lang="en-US"/>').replace(/endParaRPr/g, 'rPr')) as [Element]
      if (bold === true) properties.attributes['b'] = '1'
      if (italic === true) properties.attributes['i'] = '1'
      if (strike === true) properties.attributes['strike'] = 'sngStrike'
      properties.isRetagged = true
      if (code === true && child(properties, 'latin') === undefined)
        append(properties, ...fragment('<a:latin typeface="Courier New"/>'))
      return `<a:r>${xmlText(properties)}<a:t>${escapeXml(text)}</a:t></a:r>`
    })
    .join('')
}
