import type { DocumentFile, HtmlRequest, OfficeEdit, OfficeRequest } from '@troupe/core'
import { guardProcess } from './process-guard.ts'
import { type ReaderRequest, type ReaderResponse, respond } from './read-document.ts'

export type ProcessRequest =
  | ReaderRequest
  | { kind: 'edit'; file: DocumentFile; request: OfficeRequest; ms: number; workMs: number }
  | { kind: 'html'; file: DocumentFile; request: HtmlRequest; ms: number; workMs: number }
export type ProcessResponse = ReaderResponse & { edit?: OfficeEdit; html?: string }

const guard = guardProcess()

// The parent sends one request at a time.
process.on('message', (request: ProcessRequest) => {
  guard.start(request.workMs)
  void answer(request)
    .catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }))
    .then((response) => {
      guard.stop()
      process.send?.({ ...response, memory: process.memoryUsage.rss() })
    })
})

async function answer(request: ProcessRequest): Promise<ProcessResponse> {
  if (request.kind === 'edit') {
    const { editOffice } = await import('./office/edit-office.ts')
    return { edit: editOffice(request.request) }
  }
  if (request.kind !== 'html') return respond(request)
  const { markdownHtml, withoutAnchors } = await import('./office/document-html.ts')
  if ('markdown' in request.request) return { html: markdownHtml(request.request.markdown, request.request.pictures) }
  const parts: string[] = []
  let offset: number | undefined = 1
  while (offset !== undefined) {
    if (parts.length >= maxParts) throw new Error('The document is too long to print without LibreOffice.')
    const { text, error } = await respond({
      kind: 'read',
      file: request.file,
      part: { offset },
      ms: request.ms,
      workMs: request.workMs,
    })
    if (text === undefined) throw new Error(error ?? 'The document could not be read.')
    parts.push(withoutAnchors(text.text, text.notes?.some((note) => note.startsWith('Tracked changes')) === true))
    offset = text.next?.offset
  }
  return { html: markdownHtml(parts.join('\n')) }
}

/** Each has up to 50,000 characters. */
const maxParts = 40
