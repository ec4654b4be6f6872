import type { AgentRecord } from '@troupe/core'
import {
  type Author,
  type CallNotes,
  chartTable,
  type JsxPage,
  type Metadata,
  type Part,
  readJsx,
  readPage,
  readUiTree,
  type StoredMessage,
  uiComponents,
  type UiNode,
  type UiTreeElement,
} from '@troupe/protocol'
import type { ExportTexts } from './languages/en.ts'
import { type ExportPiece, uiPieces } from './ui-pieces.ts'

export type ReadablePart =
  | { kind: 'text' | 'reasoning' | 'note'; text: string }
  | {
      kind: 'call'
      toolCallId: string
      title: string
      input: string
      output: string
      state: 'done' | 'failed' | 'open'
      made: ExportPiece[]
    }
  | { kind: 'file'; name: string; mediaType: string; sha256: string | undefined }
  | { kind: 'source'; title: string; url: string }

/** Keeps the order of the parts and omits internal ones. `index` is the position in the message. */
export function readableParts(
  { parts, metadata }: Pick<StoredMessage, 'parts' | 'metadata'>,
  texts: ExportTexts,
): { index: number; shown: ReadablePart }[] {
  return parts.flatMap((part, index) => {
    const shown = readablePart(part, metadata, texts)
    return shown === undefined ? [] : [{ index, shown }]
  })
}

/** Names the person, sub-agent or assistant that wrote a message. */
export function speaker(
  { role, metadata }: Pick<StoredMessage, 'role' | 'metadata'>,
  agent: AgentRecord | undefined,
  texts: ExportTexts,
): string {
  if (role !== 'user') return agent?.name ?? texts.answer
  return agent === undefined ? (authorName(metadata?.author, texts) ?? texts.you) : texts.task
}

/** Undefined without accounts. */
function authorName(author: Author | undefined, texts: ExportTexts): string | undefined {
  return author?.name === '' ? texts.formerMember : author?.name
}

function readablePart(part: Part, metadata: Metadata | undefined, texts: ExportTexts): ReadablePart | undefined {
  if (part.type === 'text') return part.text === '' ? undefined : { kind: 'text', text: part.text }
  if (part.type === 'reasoning') return part.text === '' ? undefined : { kind: 'reasoning', text: part.text }
  if ('toolCallId' in part) return call(part, texts)
  if (part.type === 'file') {
    const sha256 = /\/ai\/blobs\/([0-9a-f]{64})$/.exec(part.url)?.[1]
    return { kind: 'file', name: part.filename ?? texts.file, mediaType: part.mediaType, sha256 }
  }
  if (part.type === 'source-url') return { kind: 'source', title: part.title ?? part.url, url: part.url }
  if (part.type === 'source-document') return { kind: 'note', text: texts.source(part.title) }
  if ((part.type as string) === 'steering-message') {
    const { id, parts } = part as unknown as { id: string; parts: Part[] }
    const text = parts.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n')
    return { kind: 'note', text: texts.meanwhile(text, authorName(metadata?.steeredBy?.[id], texts)) }
  }
  return part.type.startsWith('data-')
    ? data(part.type.slice('data-'.length), (part as { data?: unknown }).data, texts)
    : undefined
}

function call(part: Extract<Part, { toolCallId: string }>, texts: ExportTexts): ReadablePart {
  const name = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
  const notes = (part as { toolMetadata?: { troupe?: CallNotes } }).toolMetadata?.troupe ?? {}
  const title = notes.display?.title
  const failed = part.state === 'output-error' || part.state === 'output-denied'
  const output =
    part.state === 'output-available'
      ? asText(part.output)
      : part.state === 'output-error'
        ? part.errorText
        : part.state === 'output-denied'
          ? texts.denied
          : ''
  return {
    kind: 'call',
    toolCallId: part.toolCallId,
    title: title === undefined || title === name ? name : `${name}: ${title}`,
    input: asText(part.input),
    output: notes.partly === undefined ? output : `${output}\n\n${partlyText(notes.partly, texts)}`,
    state: failed ? 'failed' : part.state === 'output-available' ? 'done' : 'open',
    made:
      part.state === 'output-available'
        ? toolPieces({ name, input: part.input, output: part.output, notes }, texts)
        : [],
  }
}

function partlyText(
  { accepted, total, rejected, remark }: NonNullable<CallNotes['partly']>,
  texts: ExportTexts,
): string {
  return [texts.partly(accepted, total), rejected, ...(remark === undefined ? [] : [`> ${remark}`])].join('\n')
}

/** Shows questions, summaries and included files. Other data parts only drive the page. */
function data(name: string, value: unknown, texts: ExportTexts): ReadablePart | undefined {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const note = (text: string): ReadablePart => ({ kind: 'note', text })
  if (name === 'mention' || name === 'skill' || name === 'command') return note(texts[name](asText(fields['name'])))
  if (name === 'hint') return note(asText(fields['text']))
  if (name === 'compaction') return note(texts.summary(asText(fields['summary'])))
  if (name === 'image-description' && fields['problem'] === undefined)
    return note(texts.described(asText(fields['name']), asText(fields['text'])))
  if (name === 'ask') return note(texts.asked(asText(fields['title'])))
  if (name === 'ask-answer') return note(texts.answered(asText(fields['answer'])))
  return undefined
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

interface RenderedCall {
  name: string
  input: unknown
  output: unknown
  notes: CallNotes
}

const maxRows = 500

/** Returns output shown beyond the result: pictures, charts as figures, pages and forms as text. */
function toolPieces(call: RenderedCall, texts: ExportTexts): ExportPiece[] {
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
  if (typeof source !== 'string') return []
  const root = readJsx(source).root
  const made = root === undefined ? readPage(source).page : undefined
  const shown = root ?? (made && { type: 'div', attributes: {}, children: made.nodes.flatMap(plainNode) })
  return shown === undefined ? [] : [{ kind: 'note', text: texts.page }, ...uiPieces(shown, texts)]
}

/** The words of a page of HTML, with the structure that an export can show. */
function plainNode(node: JsxPage['nodes'][number]): UiNode[] {
  if (typeof node === 'string') return [node]
  if (node.tag === 'style' || node.tag === 'svg') return []
  const type =
    /^[a-z]/.test(node.tag) && Object.hasOwn(uiComponents, node.tag) ? node.tag : blocks.has(node.tag) ? 'div' : 'span'
  return [{ type, attributes: {}, children: node.children.flatMap(plainNode) }]
}

const blocks = new Set('section article main header footer aside nav figure form fieldset details h5 h6'.split(' '))

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

/** Imported data may have any shape. */
function areElements(given: Record<string, unknown>): given is Record<string, UiTreeElement> {
  return Object.values(given).every((one) => {
    const { type, children = [] } = record(one)
    return (
      typeof type === 'string' && list(children).every((child) => typeof child === 'string') && Array.isArray(children)
    )
  })
}

/** Accepts only blobs of our own store. */
function pictures(files: Record<string, unknown>[], name: unknown, texts: ExportTexts): ExportPiece[] {
  return files.flatMap(({ sha256, mediaType }, index) => {
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return []
    const called = typeof name === 'string' && name !== '' ? name.slice(0, 200) : texts.picture(index + 1)
    return [{ kind: 'picture', name: called, sha256, mediaType: typeof mediaType === 'string' ? mediaType : undefined }]
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
