import { useMemo } from 'react'
import type { ReadDocument } from '@troupe/protocol'
import { pageAccess } from '../api/page-access.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { ViewedFile } from '../api/viewer-kind.ts'

export interface FileSource {
  /** Without folders. */
  name: string
  /** Address of the bytes for the browser. Takes range requests. */
  url: string
  download: string
  /** Reads a part of the file on the server. */
  read(part: DocumentQuery, signal?: AbortSignal): Promise<ReadDocument>
}

export interface DocumentQuery {
  sheet?: string | undefined
  range?: string | undefined
  pages?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
  cells?: '1' | undefined
}

export function useFileSource({ path, blob }: ViewedFile): FileSource {
  const { api } = useWorkspace()
  return useMemo(() => {
    const bytes = blob === undefined ? api.downloadPath(path, { inline: true }) : `/ai/blobs/${blob}`
    return {
      name: path.slice(path.lastIndexOf('/') + 1),
      url: pageAccess.link(bytes),
      download: pageAccess.link(blob === undefined ? api.downloadPath(path) : bytes),
      async read(part, signal) {
        const file = blob === undefined ? { path } : { blob, name: path }
        const { document } = await api.document({ ...file, ...part }, signal)
        return document
      },
    }
  }, [api, path, blob])
}
