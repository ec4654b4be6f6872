import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Block, parseMarkdown, type Run } from './shared/markdown.ts'

/**
 * A page to print, with everything in it. Only text and known elements are written, so nothing in the Markdown can run.
 * Pictures that are missing, too large or of another type become their description.
 */
export function markdownHtml(markdown: string, pictures: Readonly<Record<string, string>> = {}): string {
  const page: Page = { pictures, pictureBytes: 0, notes: [], numbers: new Map() }
  const body = parseMarkdown(markdown).map((block) => blockHtml(block, page))
  const notes = page.notes.map((note) => `<li dir="auto">${escape(note)}</li>`).join('')
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><style>${css}</style><body>${body.join('\n')}${notes === '' ? '' : `<hr><ol class="notes">${notes}</ol>`}`
}

/**
 * The text of a reader as plain Markdown: without its outline and its `[¶ 12]`, and with tracked changes accepted.
 * Paragraphs are separated, the items of a list are not.
 */
export function withoutAnchors(text: string, hasTrackedChanges: boolean): string {
  const lines = text.split('\n')
  const start = lines[0] === 'Outline:' ? lines.indexOf('') + 1 : 0
  const plain = lines.slice(start).map((line) => {
    const [, heading = '', rest] = /^(#{1,6} )?\[¶ \d+\] ?(.*)$/.exec(line) ?? []
    if (rest === undefined) return line
    return listItem.test(rest) ? rest : `\n${heading}${rest}`
  })
  const joined = plain.join('\n')
  return hasTrackedChanges ? joined.replace(/\{--[^]*?--\}/g, '').replace(/\{\+\+([^]*?)\+\+\}/g, '$1') : joined
}

const listItem = /^\s*(?:[-*+]|\d{1,9}[.)]) /

interface Page {
  pictures: Readonly<Record<string, string>>
  pictureBytes: number
  notes: string[]
  /** Number of the last item of each list. */
  numbers: Map<number, number>
}

function blockHtml(block: Block, page: Page): string {
  switch (block.kind) {
    case 'heading': {
      const level = Math.min(6, Math.max(1, block.level))
      return `<h${level} dir="auto">${runsHtml(block.runs, page)}</h${level}>`
    }
    case 'paragraph':
      return `<p dir="auto"${block.isQuote === true ? ' class="quote"' : ''}>${runsHtml(block.runs, page)}</p>`
    case 'item': {
      // Each item is a list with one entry, which continues the numbers of the item before it.
      const number = (page.numbers.get(block.list) ?? block.start - 1) + 1
      page.numbers.set(block.list, number)
      const [tag, start] = block.isOrdered ? ['ol', ` start="${number}"`] : ['ul', '']
      const content = runsHtml(block.runs, page)
      return `<${tag}${start} style="margin-inline-start:${block.level * 7}mm"><li dir="auto">${content}</li></${tag}>`
    }
    case 'table': {
      const rows = block.rows.map((row, index) => {
        const tag = index === 0 ? 'th' : 'td'
        const cells = row.map((runs, column) => {
          const align = block.align[column] ?? 'start'
          return `<${tag} dir="auto" style="text-align:${align}">${runsHtml(runs, page)}</${tag}>`
        })
        return `<tr>${cells.join('')}</tr>`
      })
      return `<table><thead>${rows[0] ?? ''}</thead><tbody>${rows.slice(1).join('')}</tbody></table>`
    }
    case 'code':
      return `<pre>${escape(block.text)}</pre>`
    case 'rule':
      return '<hr>'
    case 'page-break':
      return '<div class="page-break"></div>'
  }
}

function runsHtml(runs: readonly Run[], page: Page): string {
  return runs.map((run) => runHtml(run, page)).join('')
}

function runHtml({ text, image, isBreak, footnote, ...style }: Run, page: Page): string {
  if (isBreak === true) return '<br>'
  if (image !== undefined) return imageHtml(image, page)
  let html = escape(text)
  if (style.code === true) html = `<code>${html}</code>`
  if (style.bold === true) html = `<b>${html}</b>`
  if (style.italic === true) html = `<i>${html}</i>`
  if (style.strike === true) html = `<s>${html}</s>`
  if (style.link !== undefined && /^(?:https?|mailto):/i.test(style.link))
    html = `<a href="${escape(style.link)}">${html}</a>`
  return footnote === undefined ? html : `${html}<sup>${page.notes.push(footnote)}</sup>`
}

const maxPictureBytes = 15 * 2 ** 20
const pictureTypes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

function imageHtml(image: { path: string; alt: string }, page: Page): string {
  const file = page.pictures[image.path]
  const type = pictureTypes[path.extname(image.path).toLowerCase()]
  const size = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.size
  if (file === undefined || type === undefined || size === undefined || page.pictureBytes + size > maxPictureBytes)
    return escape(image.alt)
  page.pictureBytes += size
  return `<img alt="${escape(image.alt)}" src="data:${type};base64,${readFileSync(file, 'base64')}">`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

const css = `
@page { size: A4; margin: 22mm }
body { margin: 0; font: 11pt/1.45 Calibri, Carlito, "Noto Sans", "Noto Sans CJK SC", "Segoe UI", Arial, sans-serif; overflow-wrap: anywhere }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.2em 0 0.4em; break-after: avoid }
h1:first-child { margin-top: 0 }
p { margin: 0 0 0.7em }
ul, ol { margin-block: 0 0.25em; padding-inline-start: 7mm }
table { border-collapse: collapse; width: 100%; margin: 0.6em 0 1em }
th, td { border: 0.5pt solid #999; padding: 1.2mm 2mm; vertical-align: top }
th { background: #f0f0f0 }
tr, img, pre { break-inside: avoid }
img { max-width: 100%; max-height: 240mm }
pre, code { font-family: "JetBrains Mono", "DejaVu Sans Mono", monospace; font-size: 9.5pt }
pre { background: #f5f5f5; padding: 2mm 3mm; white-space: pre-wrap }
hr { border: 0; border-top: 0.5pt solid #999; margin: 1em 0 }
.quote { border-inline-start: 2pt solid #bbb; padding-inline-start: 4mm; color: #444 }
.notes { font-size: 9pt }
.page-break { break-after: page }
`
