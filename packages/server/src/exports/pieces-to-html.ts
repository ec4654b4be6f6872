import { escapeHtml } from './escape-html.ts'
import { markdownToHtml } from './markdown-to-html.ts'
import type { ExportPiece, PicturePiece } from './piece.ts'

/** Every character is escaped and every tag is one of a few, as everywhere in the file. */
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
