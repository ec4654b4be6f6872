import { formatCount } from './show-name.ts'
import type { ToolContext } from '../tool.ts'
import { decodeText, detectFormat } from './encoding.ts'
import { formatCell, notebookLanguage, type Notebook, parseNotebook, cellSource } from './notebook.ts'
import { type OpenedFile, cardPreview, type ReadRange, type ReadResult } from './read-result.ts'
import { readOpenFile, sha256Of } from './snapshot.ts'
import { recordRead } from './stamps.ts'
import { maxTextBytes } from './text-range.ts'

const maxNotebookBytes = 50 * 2 ** 20

/** A notebook by cell; `offset` and `limit` count cells, from 0. Undefined when the file is none, so that it is read as text. */
export async function readNotebook(
  file: OpenedFile,
  { offset = 0, limit = Infinity }: ReadRange,
  ctx: ToolContext,
): Promise<ReadResult | undefined> {
  if (file.size > maxNotebookBytes) return undefined
  const bytes = await readOpenFile(file.fd, file.size)
  let notebook: Notebook
  try {
    notebook = parseNotebook(decodeText(bytes, detectFormat(bytes)), file.shown)
  } catch {
    return undefined
  }
  const total = notebook.cells.length
  const texts: string[] = []
  for (let length = 0, number = offset; number < total && texts.length < limit && length < maxTextBytes; number++) {
    const text = formatCell(notebook.cells[number]!, number)
    texts.push(text)
    length += text.length
  }
  if (texts.length === 0 && offset > 0) {
    throw new Error(
      `${file.shown} has ${formatCount(total, 'cell')}, counted from 0; there is none at offset ${offset}.`,
    )
  }
  const next = offset + texts.length
  const isAll = offset === 0 && next === total
  recordRead(ctx.state, file.real, { stats: file.stats, sha256: sha256Of(bytes) }, isAll ? 'all' : 'some')
  const footer =
    next < total
      ? `(Cells ${offset}-${next - 1} of ${total}, counted from 0. Continue at offset ${next}.)`
      : `(End of notebook: ${formatCount(total, 'cell')}, counted from 0; language ${notebookLanguage(notebook)}.)`
  const first = notebook.cells[offset]
  return {
    output: {
      kind: 'notebook',
      path: file.name,
      from: offset,
      cells: texts.length,
      total,
      ...(next < total && { next }),
      preview: first === undefined ? '' : cardPreview(cellSource(first)),
    },
    text: [...texts, footer].join('\n'),
  }
}
