import type { CallNotes, Part } from '@troupe/core'
import type { ExportTexts } from './languages/en.ts'
import { toolPieces } from './made-pieces.ts'
import type { ExportPiece } from './piece.ts'

/** A part as every readable export shows it. */
export type ReadablePart =
  | { kind: 'text' | 'reasoning' | 'note'; text: string }
  | {
      kind: 'call'
      toolCallId: string
      title: string
      input: string
      output: string
      state: 'done' | 'failed' | 'open'
      /** What it has shown to the person. */
      made: ExportPiece[]
    }
  | { kind: 'file'; name: string; mediaType: string; sha256: string | undefined }
  | { kind: 'source'; title: string; url: string }

/** The same order as the parts; what is not for people is left out. `index` is the place in the message. */
export function readableParts(parts: readonly Part[], texts: ExportTexts): { index: number; shown: ReadablePart }[] {
  return parts.flatMap((part, index) => {
    const shown = readablePart(part, texts)
    return shown === undefined ? [] : [{ index, shown }]
  })
}

function readablePart(part: Part, texts: ExportTexts): ReadablePart | undefined {
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
    const { parts } = part as unknown as { parts: Part[] }
    const text = parts.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n')
    return { kind: 'note', text: texts.meanwhile(text) }
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
    output,
    state: failed ? 'failed' : part.state === 'output-available' ? 'done' : 'open',
    made:
      part.state === 'output-available'
        ? toolPieces({ name, input: part.input, output: part.output, notes }, texts)
        : [],
  }
}

/** Questions, summaries and files that were brought in are told; the rest drives the page. */
function data(name: string, value: unknown, texts: ExportTexts): ReadablePart | undefined {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const note = (text: string): ReadablePart => ({ kind: 'note', text })
  if (name === 'mention' || name === 'skill' || name === 'command') return note(texts[name](asText(fields['name'])))
  if (name === 'hint') return note(asText(fields['text']))
  if (name === 'compaction') return note(texts.summary(asText(fields['summary'])))
  if (name === 'ask') return note(texts.asked(asText(fields['title'])))
  if (name === 'ask-answer') return note(texts.answered(asText(fields['answer'])))
  return undefined
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
