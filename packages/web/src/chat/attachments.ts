import { newId } from '@troupe/core/protocol'
import type { Part } from '@troupe/core/protocol'
import type { StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { readableType } from './readable-type.ts'
import type { Attachment, SessionState } from './session-state.ts'

export type FilePartData = Extract<Part, { type: 'file' }>

/** Files that go with the next message: their bytes go to the server at once, the message names them. */
export function createAttachments(store: StoreApi<SessionState>, api: Api, onError: (error: unknown) => void) {
  const change = (next: (attachments: readonly Attachment[]) => readonly Attachment[]) =>
    store.setState(({ attachments }) => ({ attachments: next(attachments) }))

  return { attach, detach }

  async function attach(files: Iterable<File>): Promise<void> {
    await Promise.all(Array.from(files, addOne))
  }

  async function addOne(file: File): Promise<void> {
    const id = newId('f')
    change((attachments) => [...attachments, { id, name: file.name, mediaType: file.type, url: null }])
    try {
      const bytes = new Uint8Array(await file.arrayBuffer())
      const mediaType = readableType(file.type, bytes)
      if (mediaType === undefined) throw new Error(`“${file.name}” is neither an image nor text nor a PDF.`)
      const { url } = await api.addBlob(new Blob([bytes], { type: mediaType }))
      change((attachments) => attachments.map((one) => (one.id === id ? { ...one, mediaType, url } : one)))
    } catch (error) {
      detach(id)
      onError(error)
    }
  }

  function detach(id: string): void {
    change((attachments) => attachments.filter((one) => one.id !== id))
  }
}

/** Those that have arrived, as parts of a message. */
export function fileParts(attachments: readonly Attachment[]): FilePartData[] {
  return attachments.flatMap(({ name, mediaType, url }) =>
    url === null ? [] : [{ type: 'file' as const, mediaType, filename: name, url }],
  )
}
