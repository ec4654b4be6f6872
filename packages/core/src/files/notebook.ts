/** The parts of a Jupyter notebook that we read and change; everything else is kept as it is. */
export interface Notebook {
  cells: NotebookCell[]
  metadata?: { language_info?: { name?: string }; kernelspec?: { language?: string } }
  nbformat?: number
  nbformat_minor?: number
}

export interface NotebookCell {
  cell_type: 'code' | 'markdown' | 'raw'
  id?: string
  source: string | string[]
  metadata: Record<string, unknown>
  outputs?: NotebookOutput[]
  execution_count?: number | null
}

interface NotebookOutput {
  output_type: string
  name?: string
  text?: string | string[]
  data?: Record<string, unknown>
  ename?: string
  evalue?: string
  traceback?: string[]
}

/** Throws an Error for the model when the text is no notebook. */
export function parseNotebook(text: string, shown: string): Notebook {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`"${shown}" is not valid JSON, so it is no notebook: ${(error as Error).message}`, { cause: error })
  }
  const { cells } = (value ?? {}) as { cells?: unknown }
  if (!Array.isArray(cells)) throw new Error(`"${shown}" has no list of cells, so it is no notebook of version 4.`)
  return value as Notebook
}

export function cellSource(cell: Pick<NotebookCell, 'source'>): string {
  return joinLines(cell.source)
}

export function notebookLanguage({ metadata }: Notebook): string {
  return metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? 'python'
}

const maxOutput = 2000

/** One cell as the model reads it: number (from 0), id, type, source, the beginning of its outputs. */
export function formatCell(cell: NotebookCell, number: number): string {
  const id = cell.id === undefined ? '' : ` id="${cell.id}"`
  const outputs = (cell.outputs ?? []).map(formatOutput).filter((text) => text !== '')
  return [
    `<cell number="${number}"${id} type="${cell.cell_type}">`,
    cellSource(cell),
    ...outputs.map((text) => `<output>\n${truncateOutput(text)}\n</output>`),
    '</cell>',
  ].join('\n')
}

function formatOutput(output: NotebookOutput): string {
  if (output.text !== undefined) return joinLines(output.text)
  // eslint-disable-next-line no-control-regex
  const colours = /\u001b\[[0-9;]*m/g
  if (output.output_type === 'error') {
    return `${output.ename ?? 'Error'}: ${output.evalue ?? ''}\n${(output.traceback ?? []).join('\n').replace(colours, '')}`
  }
  const data = output.data ?? {}
  const plain = data['text/plain'] ?? data['text/markdown']
  const others = Object.keys(data).filter((type) => !type.startsWith('text/'))
  return [plain === undefined ? '' : joinLines(plain as string | string[]), ...others.map((type) => `[${type}]`)]
    .filter((text) => text !== '')
    .join('\n')
}

function truncateOutput(text: string): string {
  const trimmed = text.trimEnd()
  if (trimmed.length <= maxOutput) return trimmed
  return `${trimmed.slice(0, maxOutput)}\n[cut: the output has ${trimmed.length} characters]`
}

function joinLines(text: string | string[]): string {
  return Array.isArray(text) ? text.join('') : text
}
