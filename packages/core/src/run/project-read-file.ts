import path from 'node:path'
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider'
import { maxRequestBytes, mediaProblem, type MediaFacts } from '../files/why-not-shown.ts'
import type { FileKind } from './load-files.ts'

/** A call as far as it says which file was read. */
interface ReadCall {
  toolCallId: string
  state: string
  output?: unknown
  providerExecuted?: boolean
}

interface ReadFile extends MediaFacts {
  path: string
  blob: string
  mediaType: string
}

/** More than this, and some providers take only small ones. */
const maxFiles = 20

/** Decides about the files that tools have read: which of them a model is shown. */
export interface ReadFiles {
  /** For a model that is shown it: told after the results, as from the person, since few providers take files inside of a result. */
  content(call: ReadCall): (LanguageModelV4TextPart | LanguageModelV4FilePart)[]
  /** Why a model is not shown the file of a call, to be added to what it reads of it. */
  note(call: ReadCall): string | undefined
}

/** A request holds only so much: the newest are shown. */
export function projectReadFiles(
  messages: readonly { parts: readonly object[] }[],
  takes: readonly FileKind[],
): ReadFiles {
  const shown = takes.length === 0 ? new Set<string>() : newestFiles(messages, takes)
  return {
    content(call) {
      const file = readFileResult(call)
      if (file === undefined || !shown.has(call.toolCallId)) return []
      const { kind, path: name, blob, mediaType } = file
      return [
        { type: 'text', text: `[The ${kind === 'pdf' ? 'PDF' : kind} that was read: ${name}]` },
        {
          type: 'file',
          mediaType,
          filename: path.basename(name),
          data: { type: 'url', url: new URL(`troupe-blob:${blob}`) },
        },
      ]
    },
    note(call) {
      const file = readFileResult(call)
      if (file === undefined || shown.has(call.toolCallId) || mediaProblem(file) !== undefined) return undefined
      const { kind } = file
      if (!takes.includes(kind))
        return `You cannot look at it: this model takes no ${kind === 'pdf' ? 'PDFs' : 'images'}.`
      return 'It is no longer shown, since others were read after it; read it again to look at it.'
    },
  }
}

/** The calls whose files are shown. */
function newestFiles(messages: readonly { parts: readonly object[] }[], takes: readonly FileKind[]): Set<string> {
  const shown = new Set<string>()
  let bytes = 0
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      const file = 'toolCallId' in part ? readFileResult(part as ReadCall) : undefined
      if (file === undefined || !takes.includes(file.kind) || mediaProblem(file) !== undefined) continue
      bytes += file.size
      if (shown.size === maxFiles || bytes > maxRequestBytes) return shown
      shown.add((part as ReadCall).toolCallId)
    }
  }
  return shown
}

function readFileResult({ state, output, providerExecuted }: ReadCall): ReadFile | undefined {
  if (state !== 'output-available' || providerExecuted === true) return undefined
  if (typeof output !== 'object' || output === null) return undefined
  const { kind, blob, mediaType, path: name, size, width, height } = output as Record<string, unknown>
  if ((kind !== 'image' && kind !== 'pdf') || typeof blob !== 'string' || !/^[0-9a-f]{64}$/.test(blob)) return undefined
  return {
    kind,
    blob,
    path: typeof name === 'string' && name !== '' ? name.toWellFormed() : 'a file',
    mediaType: typeof mediaType === 'string' ? mediaType : 'application/octet-stream',
    size: typeof size === 'number' ? size : 0,
    ...(typeof width === 'number' && { width }),
    ...(typeof height === 'number' && { height }),
  }
}
