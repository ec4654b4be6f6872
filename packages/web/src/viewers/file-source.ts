import { useMemo } from 'react'
import type { ReadDocument } from '@troupe/protocol'
import { pageAccess } from '../api/page-access.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { ViewedFile } from '../api/viewer-kind.ts'

export interface FileSource {
  /** Without folders. */
  name: string
  /** Address of the bytes for the browser. Takes range requests, unless it is a picture that is converted. */
  url: string
  download: string
  /** Shown instead of the bytes at the address. */
  bytes?: Uint8Array
  /** Reads a part of the file on the server. */
  read(part: DocumentQuery, signal?: AbortSignal): Promise<ReadDocument>
  /** The document as PDF. */
  pages(signal: AbortSignal): Promise<Uint8Array>
}

export interface DocumentQuery {
  sheet?: string | undefined
  range?: string | undefined
  pages?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
  cells?: '1' | undefined
  layout?: '1' | undefined
}

export function useFileSource({ path, blob }: ViewedFile): FileSource {
  const { api } = useWorkspace()
  return useMemo(() => {
    const file = blob === undefined ? { path } : { blob, name: path }
    const needsConversion = /\.(heic|heif|tiff?|bmp|ico|psd)$/i.test(path)
    const bytes = blob === undefined ? api.downloadPath(path, { inline: true }) : `/ai/blobs/${blob}`
    return {
      name: path.slice(path.lastIndexOf('/') + 1),
      url: pageAccess.link(needsConversion ? api.picturePath(file) : bytes),
      download: pageAccess.link(blob === undefined ? api.downloadPath(path) : bytes),
      async read(part, signal) {
        const { document } = await api.document({ ...file, ...part }, signal)
        return document
      },
      async pages(signal) {
        const response = await api.documentPages(file, signal)
        return new Uint8Array(await response.arrayBuffer())
      },
    }
  }, [api, path, blob])
}
