import type { ExportPiece, PicturePiece } from './ui-pieces.ts'

/**
 * Converts Markdown to simple HTML: headings, lists, quotes, raw tables, code, emphasis and web links. Escapes every
 * character and emits only these tags, whatever the text contains. Loads no images.
 */
export function markdownToHtml(text: string): string {
  const html: string[] = []
  const lines = text.split(/\r\n|\n|\r/)
  let paragraph: string[] = []
  let list: { tag: 'ul' | 'ol'; items: string[] } | undefined
  const flush = (): void => {
    if (paragraph.length > 0) html.push(`<p>${inline(paragraph.join('\n'))}</p>`)
    if (list !== undefined)
      html.push(`<${list.tag}>${list.items.map((item) => `<li>${inline(item)}</li>`).join('')}</${list.tag}>`)
    paragraph = []
    list = undefined
  }
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    const fence = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      flush()
      const code: string[] = []
      while (++i < lines.length && !isClosing(lines[i]!, fence)) code.push(lines[i]!)
      html.push(`<pre><code>${escapeHtml(code.join('\n'))}</code></pre>`)
      continue
    }
    const heading = /^\s{0,3}(#{1,6})\s+(.*)$/.exec(line)
    const item = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/.exec(line)
    if (line.trim() === '') flush()
    else if (heading !== null) {
      flush()
      const tag = `h${Math.min(6, (heading[1]?.length ?? 1) + 2)}`
      html.push(`<${tag}>${inline(heading[2]?.replace(/\s#+\s*$/, '') ?? '')}</${tag}>`)
    } else if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      flush()
      html.push('<hr>')
    } else if (item !== null) {
      const tag = item[1] === undefined ? 'ul' : 'ol'
      if (paragraph.length > 0 || (list !== undefined && list.tag !== tag)) flush()
      list ??= { tag, items: [] }
      list.items.push(item[2] ?? '')
    } else if (/^\s{0,3}>/.test(line)) {
      flush()
      const quoted = [line]
      while (i + 1 < lines.length && /^\s{0,3}>/.test(lines[i + 1]!)) quoted.push(lines[++i]!)
      html.push(
        `<blockquote><p>${inline(quoted.map((one) => one.replace(/^\s{0,3}> ?/, '')).join('\n'))}</p></blockquote>`,
      )
    } else if (/^\s*\|.*\|\s*$/.test(line)) {
      flush()
      const rows = [line]
      while (i + 1 < lines.length && /^\s*\|.*\|\s*$/.test(lines[i + 1]!)) rows.push(lines[++i]!)
      html.push(table(rows))
    } else if (list !== undefined && /^\s{2,}\S/.test(line)) {
      list.items[list.items.length - 1] += `\n${line.trim()}`
    } else {
      if (list !== undefined) flush()
      paragraph.push(line)
    }
  }
  flush()
  return html.join('\n')
}

function isClosing(line: string, fence: string): boolean {
  const found = /^\s{0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]
  return found !== undefined && found.startsWith(fence)
}

function table(rows: string[]): string {
  const cells = (row: string): string[] =>
    row
      .trim()
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
  const [head, second, ...rest] = rows
  const hasHead = second !== undefined && cells(second).every((cell) => /^:?-+:?$/.test(cell))
  const line = (row: string, tag: 'td' | 'th'): string =>
    `<tr>${cells(row)
      .map((cell) => `<${tag}>${inline(cell)}</${tag}>`)
      .join('')}</tr>`
  const body = (hasHead ? rest : rows).map((row) => line(row, 'td')).join('')
  return `<table>${hasHead ? `<thead>${line(head!, 'th')}</thead>` : ''}<tbody>${body}</tbody></table>`
}

/** Code first, since it contains no markup. Then links, then emphasis, all in escaped text. */
function inline(text: string): string {
  return text
    .split(/(`{1,3}[^`\n]+`{1,3})/)
    .map((piece, index) =>
      index % 2 === 1 ? `<code>${escapeHtml(piece.replace(/^`+|`+$/g, ''))}</code>` : dressed(piece),
    )
    .join('')
}

function dressed(text: string): string {
  return escapeHtml(text)
    .replace(
      /!?\[([^[\]\n]{0,500})\]\((https?:\/\/[^\s()*]{1,2000})\)/g,
      (_, label: string, url: string) => `<a href="${url}" rel="noreferrer noopener">${label || url}</a>`,
    )
    .replace(/\*\*([^*\n]{1,1000})\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^*\n]{1,1000})\*(?![\w*])/g, '<em>$1</em>')
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML outside scripts and styles. Shows invalid characters visibly. */
export function escapeHtml(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/[&<>"']/g, (sign) => signs[sign] ?? '')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '\ufffd')
  )
}

/** Escapes every character and emits only a few tags, like the rest of the file. */
export async function piecesToHtml(
  pieces: ExportPiece[],
  embed: (picture: PicturePiece) => Promise<string>,
): Promise<string> {
  const html: string[] = []
  let items: string[] = []
  for (const piece of pieces) {
    if (piece.kind !== 'item') endList()
    switch (piece.kind) {
      case 'item':
        items.push(`<li>${escapeHtml(piece.text)}</li>`)
        break
      case 'text':
        html.push(piece.strong === true ? `<p><strong>${escapeHtml(piece.text)}</strong></p>` : paragraph(piece.text))
        break
      case 'note':
        html.push(`<p class="note">${escapeHtml(piece.text)}</p>`)
        break
      case 'markdown':
        html.push(markdownToHtml(piece.text))
        break
      case 'code':
        html.push(`<pre><code>${escapeHtml(piece.text)}</code></pre>`)
        break
      case 'table':
        html.push(tableHtml(piece))
        break
      case 'picture':
        html.push(`<figure>${await embed(piece)}</figure>`)
        break
    }
  }
  endList()
  return html.join('\n')

  function endList(): void {
    if (items.length > 0) html.push(`<ul>${items.join('')}</ul>`)
    items = []
  }
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}

function tableHtml({ caption, rows, hasHead }: Extract<ExportPiece, { kind: 'table' }>): string {
  const line = (cells: string[], tag: 'td' | 'th'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  const [head = [], ...rest] = rows
  const name = caption === '' ? '' : `<caption>${escapeHtml(caption)}</caption>`
  const body = (hasHead ? rest : rows).map((row) => line(row, 'td')).join('')
  return `<table>${name}${hasHead ? `<thead>${line(head, 'th')}</thead>` : ''}<tbody>${body}</tbody></table>`
}
