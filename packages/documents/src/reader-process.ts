import type { DocumentFile, OfficeEdit, OfficeRequest } from '@troupe/core'
import { type ReaderRequest, type ReaderResponse, respond } from './read-document.ts'

export type ProcessRequest = ReaderRequest | { kind: 'edit'; file: DocumentFile; request: OfficeRequest; ms: number }
export type ProcessResponse = ReaderResponse & { edit?: OfficeEdit }

// The parent sends one request at a time.
process.on('message', (request: ProcessRequest) => {
  void (request.kind === 'edit' ? edit(request.request) : respond(request)).then((response) =>
    process.send?.({ ...response, memory: process.memoryUsage.rss() }),
  )
})

async function edit(request: OfficeRequest): Promise<ProcessResponse> {
  try {
    const { editOffice } = await import('./office/edit-office.ts')
    return { edit: editOffice(request) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
