import type { Blobs, DocumentFile, Documents, Store } from '@troupe/core'
import { documentEndpoints, NamedError } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import { fileRoot, notFound, resolveTarget } from './workspace-path.ts'

interface DocumentServices {
  store: Store
  home: Pick<Home, 'path'>
  blobs: Blobs
  documents: Documents
}

/** Documents as the viewers of the page need them. Agents use the Read tool. */
export function documentRoutes({ store, home, blobs, documents }: DocumentServices): Route[] {
  return implement(documentEndpoints, {
    'GET /ai/documents': async ({ query, workspaceId }, c) => {
      const { path: given, blob, name, cells, ...part } = query
      const file: DocumentFile =
        blob === undefined
          ? await workspaceFile(given ?? '', workspaceId)
          : { path: await blobFile(blob), name: name ?? 'attachment' }
      try {
        const {
          format,
          title,
          mediaType,
          facts,
          text,
          next,
          notes,
          cells: read,
        } = await documents.read(file, { ...part, cells: cells === '1' || undefined }, c.req.raw.signal)
        return {
          document: { format, title, mediaType, facts, text, next, notes: notes && [...notes], cells: read },
        }
      } catch (error) {
        throw new NamedError('DocumentUnreadable', (error as Error).message, { status: 422, cause: error })
      }
    },
  })

  async function workspaceFile(given: string, workspaceId: string): Promise<DocumentFile> {
    const root = fileRoot(await findWorkspace(store, workspaceId), home.path)
    const found = resolveTarget(root, given, 'read')
    if (found.stats?.isFile() !== true) throw notFound(given)
    return { path: found.path }
  }

  async function blobFile(sha256: string): Promise<string> {
    const file = await blobs.fileOf?.(sha256)
    if (file === undefined) throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
    return file
  }
}
