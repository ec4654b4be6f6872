import { chartTable, checkJsx, readUiTree, type CallNotes, type UiTreeElement } from '@troupe/core'
import type { ExportTexts } from './languages/en.ts'
import type { ExportPiece } from './piece.ts'
import { uiPieces } from './ui-pieces.ts'

export interface RenderedCall {
  name: string
  input: unknown
  output: unknown
  notes: CallNotes
}

const maxRows = 500

/** What a call has shown to the person beyond its result: pictures, charts as their figures, pages and forms as text. */
export function toolPieces(call: RenderedCall, texts: ExportTexts): ExportPiece[] {
  const content = record(call.notes.display?.content)
  const input = call.notes.executedInput ?? call.input
  if (call.name === 'ChartRender') return chart(record(input), texts)
  if (call.name === 'JsxCreate') return page(typeof input === 'string' ? input : record(input)['input'], texts)
  if (call.name === 'JsonRender') return form(record(input), record(call.output), texts)
  if (content['kind'] === 'chart') return chart(content, texts)
  if (content['kind'] === 'image') return pictures([content], content['path'], texts)
  if (content['kind'] === 'media') return pictures(list(content['files']).map(record), content['prompt'], texts)
  return []
}

function chart({ option: given, title }: Record<string, unknown>, texts: ExportTexts): ExportPiece[] {
  const option = typeof given === 'string' ? parseJson(given) : given
  const caption = typeof title === 'string' ? title : texts.untitled
  const rows = chartTable(record(option))
  if (rows === undefined) return [{ kind: 'note', text: texts.chartWithout(caption) }]
  const hasHead = rows[0]?.some((cell) => cell !== '') ?? false
  const shown = (hasHead ? rows : rows.slice(1)).slice(0, maxRows)
  const left = rows.length - (hasHead ? 0 : 1) - shown.length
  return [
    { kind: 'note', text: texts.chart(caption) },
    { kind: 'table', caption: '', rows: shown, hasHead },
    ...(left > 0 ? [{ kind: 'note' as const, text: texts.moreRows(left) }] : []),
  ]
}

function page(source: unknown, texts: ExportTexts): ExportPiece[] {
  const { root } = typeof source === 'string' ? checkJsx(source) : {}
  return root === undefined ? [] : [{ kind: 'note', text: texts.page }, ...uiPieces(root, texts)]
}

function form(
  { tree, title, data }: Record<string, unknown>,
  output: Record<string, unknown>,
  texts: ExportTexts,
): ExportPiece[] {
  const { root, elements: given } = record(tree)
  const elements = record(given)
  if (typeof root !== 'string' || !areElements(elements)) return []
  const read = readUiTree({ root, elements }, { partial: true })
  if ('problem' in read) return []
  const values = { ...record(data), ...record(output['values']) }
  return [
    { kind: 'note', text: texts.form(typeof title === 'string' ? title : texts.untitled) },
    ...uiPieces(read.root, texts, values),
    ...(output['action'] === 'cancel' ? [{ kind: 'note' as const, text: texts.cancelled }] : []),
  ]
}

/** What was imported may be anything. */
function areElements(given: Record<string, unknown>): given is Record<string, UiTreeElement> {
  return Object.values(given).every((one) => {
    const { type, children = [] } = record(one)
    return (
      typeof type === 'string' && list(children).every((child) => typeof child === 'string') && Array.isArray(children)
    )
  })
}

/** Only bytes of our own store. */
function pictures(files: Record<string, unknown>[], name: unknown, texts: ExportTexts): ExportPiece[] {
  return files.flatMap(({ sha256, mediaType }, index) => {
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return []
    const called = typeof name === 'string' && name !== '' ? name.slice(0, 200) : texts.picture(index + 1)
    return [{ kind: 'picture', name: called, sha256, ...(typeof mediaType === 'string' && { mediaType }) }]
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
