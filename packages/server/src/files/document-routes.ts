import type { Blobs, DocumentFile, Documents, Store } from '@troupe/core'
import { documentEndpoints, NamedError } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { FolderIsolation } from '../isolation/open-isolation.ts'
import type { DocumentPages } from './document-pages.ts'
import { fileRoot, notFound, resolveTarget } from './workspace-path.ts'

interface DocumentServices {
  store: Store
  home: Pick<Home, 'path'>
  blobs: Blobs
  documents: Documents
  documentPages: DocumentPages
  folderIsolation?: FolderIsolation | undefined
}

/** Documents as the viewers of the page need them. Agents use the Read tool. */
export function documentRoutes(services: DocumentServices): Route[] {
  const { store, home, blobs, documents, documentPages, folderIsolation } = services
  return implement(documentEndpoints, {
    'GET /ai/documents': async ({ query, workspaceId }, c) => {
      const { path: _, blob: __, name: ___, cells, layout, ...part } = query
      const file = await fileOf(query, workspaceId)
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
          layout: laidOut,
        } = await documents.read(
          file,
          { ...part, cells: cells === '1' || undefined, layout: layout === '1' || undefined },
          c.req.raw.signal,
        )
        return {
          document: {
            format,
            title,
            mediaType,
            facts,
            text,
            next,
            notes: notes && [...notes],
            cells: read,
            layout: laidOut,
            hasPages: documentPages.has(file) || undefined,
          },
        }
      } catch (error) {
        throw new NamedError('DocumentUnreadable', (error as Error).message, { status: 422, cause: error })
      }
    },
    'GET /ai/documents/pages': async ({ query, workspaceId }, c) => {
      const file = await fileOf(query, workspaceId)
      if (!documentPages.has(file))
        throw new NamedError(
          'NoPages',
          'Pages are shown for text documents and presentations where LibreOffice is installed.',
          { status: 422 },
        )
      try {
        const bytes = await documentPages.pdf(
          file,
          c.req.raw.signal,
          folderIsolation?.((await findWorkspace(store, workspaceId)).path),
        )
        return new Response(bytes, { headers: { 'content-type': 'application/pdf', 'cache-control': 'no-store' } })
      } catch (error) {
        throw new NamedError('NoPages', (error as Error).message, { status: 422, cause: error })
      }
    },
    'GET /ai/documents/picture': async ({ query, workspaceId }, c) => {
      const file = await fileOf(query, workspaceId)
      const unreadable = (message: string, cause?: unknown): NamedError =>
        new NamedError('DocumentUnreadable', message, { status: 422, cause })
      const { images, notes } = await documents
        .read(file, { images: true }, c.req.raw.signal)
        .catch((error: unknown) => {
          throw unreadable((error as Error).message, error)
        })
      const picture = images?.[0]
      if (picture === undefined) throw unreadable(notes?.[0] ?? 'The file is no picture.')
      return new Response(Buffer.from(picture.bytes), {
        headers: { 'content-type': picture.mediaType, 'cache-control': 'no-store' },
      })
    },
  })

  async function fileOf(
    { path: given, blob, name }: { path?: string | undefined; blob?: string | undefined; name?: string | undefined },
    workspaceId: string,
  ): Promise<DocumentFile> {
    return blob === undefined
      ? workspaceFile(given ?? '', workspaceId)
      : { path: await blobFile(blob), name: name ?? 'attachment' }
  }

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
