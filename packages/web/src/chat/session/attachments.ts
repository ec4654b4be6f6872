import { newId } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { toErrorInfo } from '../../api/request.ts'
import { formatSize } from '../../texts/format.ts'
import { t } from '../../texts/t.ts'
import type { DraftAttachment, FilePartData, SessionState } from './session-state.ts'
import type { SessionServices } from './session-types.ts'

interface ReadFile {
  id: string
  bytes: Uint8Array<ArrayBuffer>
  mediaType: string
}

/** Maximum upload size the server accepts. */
const mostBytes = 32 * 1024 * 1024
const mostFiles = 20

/** Attachments of the next message. Files upload immediately, and the message references them. */
export function createAttachments(
  store: StoreApi<SessionState>,
  {
    api,
    onError,
    saveAttachments: keepAttachments,
    freeFiles,
  }: Pick<SessionServices, 'api' | 'onError' | 'saveAttachments' | 'freeFiles'>,
) {
  const onWay = new Map<string, AbortController>()
  const change = (next: (attachments: readonly DraftAttachment[]) => readonly DraftAttachment[]) => {
    const before = store.getState().attachments
    const after = next(before)
    store.setState({ attachments: after })
    // Upload progress need not survive a reload.
    if (urlsOf(before) !== urlsOf(after)) keepAttachments(after)
  }
  const patch = (id: string, news: Partial<DraftAttachment>) =>
    change((attachments) => attachments.map((one) => (one.id === id ? { ...one, ...news } : one)))

  return { attach, attachText, detach, filesUploaded }

  /** Reports all rejected files together, before uploading the others. */
  async function attach(files: Iterable<File>): Promise<void> {
    const taken = await Promise.all(Array.from(files, (file) => take(file)))
    const refusals = taken.flatMap((one) => ('refusal' in one ? [one.refusal] : []))
    if (refusals.length === 1) onError(refusals[0])
    if (refusals.length > 1)
      onError(new Error(t.composer.refusals(refusals.map((refusal) => toErrorInfo(refusal).message))))
    await Promise.all(taken.flatMap((one) => ('refusal' in one ? [] : [send(one)])))
  }

  async function attachText(text: string): Promise<void> {
    const taken = new Set(store.getState().attachments.map(({ name }) => name))
    const names = Array.from({ length: mostFiles + 1 }, (_, index) => t.composer.pastedName(index + 1))
    const name = names.find((candidate) => !taken.has(candidate)) ?? t.composer.pastedName(1)
    const one = await take(new File([text], name, { type: 'text/plain' }), text)
    if ('refusal' in one) onError(one.refusal)
    else await send(one)
  }

  async function take(file: File, text?: string): Promise<ReadFile | { refusal: unknown }> {
    const id = newId('f')
    const { name, type, size } = file
    try {
      if (store.getState().attachments.length >= mostFiles) throw new Error(t.composer.tooMany(name, mostFiles))
      if (size > mostBytes) throw new Error(t.composer.tooLarge(name, formatSize(size), formatSize(mostBytes)))
      if (size === 0) throw new Error(t.composer.emptyFile(name))
      const added = { id, name, mediaType: type, size, url: null, sent: 0, text }
      change((attachments) => [...attachments, added])
      onWay.set(id, new AbortController())
      const bytes = await file.arrayBuffer().then(
        (buffer) => new Uint8Array(buffer),
        // A folder, or a file that no longer exists.
        () => Promise.reject(new Error(t.composer.unreadable(name))),
      )
      return { id, bytes, mediaType: uploadType(type, bytes) }
    } catch (refusal) {
      detach(id)
      onWay.delete(id)
      return { refusal }
    }
  }

  async function send({ id, bytes, mediaType }: ReadFile): Promise<void> {
    const controller = onWay.get(id) ?? new AbortController()
    if (controller.signal.aborted) return
    try {
      const { url } = await api.addBlob(new Blob([bytes], { type: mediaType }), {
        signal: controller.signal,
        onProgress: (sent) => patch(id, { sent }),
      })
      patch(id, { mediaType, url, sent: 1 })
    } catch (error) {
      if (controller.signal.aborted) return
      detach(id)
      onError(error)
    } finally {
      onWay.delete(id)
    }
  }

  /** Resolves when the files of the draft are uploaded. False if one of them is gone by then. */
  function filesUploaded(): Promise<boolean> {
    const ids = store.getState().attachments.map(({ id }) => id)
    return new Promise((resolve) => {
      const look = () => {
        const files = ids.map((id) => store.getState().attachments.find((one) => one.id === id))
        const isGone = files.includes(undefined)
        if (!isGone && files.some((file) => file?.url === null)) return
        stop()
        resolve(!isGone)
      }
      const stop = store.subscribe(look)
      look()
    })
  }

  function detach(id: string): void {
    onWay.get(id)?.abort()
    const url = store.getState().attachments.find((one) => one.id === id)?.url
    change((attachments) => attachments.filter((one) => one.id !== id))
    if (url != null) freeFiles([url])
  }
}

function urlsOf(attachments: readonly DraftAttachment[]): string {
  return attachments.map(({ url }) => url ?? '').join()
}

export function fileParts(attachments: readonly DraftAttachment[]): FilePartData[] {
  return attachments.flatMap(({ name, mediaType, url }) =>
    url === null ? [] : [{ type: 'file' as const, mediaType, filename: name, url }],
  )
}

/** Media type of an upload. Text of any kind is plain text; the server identifies documents by their content. */
export function uploadType(type: string, bytes: Uint8Array): string {
  if (isText(bytes)) return 'text/plain'
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
