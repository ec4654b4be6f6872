import path from 'node:path'
import { openUndoFolder, type Store, type UndoJournal } from '@troupe/core'
import { fileEndpoints } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { implement, type Route, streamResponse } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import { readContent, writeContent } from './file-content.ts'
import { createFileIndex, type FileIndex } from './file-index.ts'
import { createEntry, download, moveEntry, saveUpload } from './file-operations.ts'
import { createFolderWatchers, type FolderWatchers } from './folder-watcher.ts'
import { createFolderLister } from './list-entries.ts'
import { openTrash, type Trash } from './trash.ts'
import { fileRoot, type FileRoot } from './workspace-path.ts'

/** State of the file routes between requests. */
export interface Files {
  index: FileIndex
  watchers: FolderWatchers
  trash: Trash
  /** The undo data of agents. The person's own changes are in it under their own mark. */
  journal: UndoJournal
  close(): void
}

export function openFiles(home: string): Files {
  const index = createFileIndex()
  const watchers = createFolderWatchers(index.touch)
  const trash = openTrash(path.join(home, 'trash'))
  return { index, watchers, trash, journal: openUndoFolder(path.join(home, 'undo')), close: () => watchers.close() }
}

/** Routes for the person's own work with the files of a workspace. Agents use tools, with permissions. */
export function fileRoutes({ store, home, files }: { store: Store; home: Pick<Home, 'path'>; files: Files }): Route[] {
  const { list } = createFolderLister()
  const rootOf = async (workspaceId: string): Promise<FileRoot> =>
    fileRoot(await findWorkspace(store, workspaceId), home.path)
  /** The list of names is read again after a change. */
  const changing = async <T>(workspaceId: string, work: (root: FileRoot) => Promise<T>): Promise<T> => {
    try {
      return await work(await rootOf(workspaceId))
    } finally {
      files.index.touch(workspaceId)
    }
  }

  return implement(fileEndpoints, {
    'GET /ai/files': async ({ query: { path: given = '', offset, limit }, workspaceId }) => {
      const root = await rootOf(workspaceId)
      return list(root, given, { offset, limit })
    },
    'POST /ai/files': ({ body, workspaceId }) =>
      changing(workspaceId, (root) => createEntry(root, body.path, body.kind)),
    'DELETE /ai/files': ({ query: { path: given = '', forever }, workspaceId }) =>
      changing(workspaceId, async (root) => {
        if (forever !== '1') return { trashed: await files.trash.put(root, given) }
        await files.trash.deleteForever(root, given)
        return { trashed: null }
      }),
    'POST /ai/files/move': ({ body, workspaceId }) =>
      changing(workspaceId, (root) => moveEntry(root, body.from, body.to)),
    'GET /ai/files/trash': async ({ workspaceId }) => ({ trashed: await files.trash.list(await rootOf(workspaceId)) }),
    'POST /ai/files/trash/:id/restore': ({ params, workspaceId }) =>
      changing(workspaceId, (root) => files.trash.restore(root, params.id)),
    'DELETE /ai/files/trash': async ({ query: { id }, workspaceId }) => ({
      deleted: await files.trash.empty(await rootOf(workspaceId), id),
    }),
    'GET /ai/files/search': async ({ query: { q = '', limit = 200 }, workspaceId }) =>
      files.index.search(await rootOf(workspaceId), q, limit),
    'GET /ai/files/content': async ({ query: { path: given = '', secret }, workspaceId }) => ({
      file: await readContent(await rootOf(workspaceId), given, { secret: secret === '1' }),
    }),
    'PUT /ai/files/content': ({ body, workspaceId }) => {
      const { path: given, text, version, encoding = 'utf-8', bom = false } = body
      return changing(workspaceId, async (root) => ({
        file: await writeContent(root, { path: given, text, version, format: { encoding, bom } }, files.journal),
      }))
    },
    'POST /ai/files/upload': ({ query: { path: given = '', replace }, workspaceId }, c) =>
      changing(workspaceId, (root) => saveUpload(c, root, given, { replace: replace === '1' })),
    'GET /ai/files/download': async ({ query: { path: given = '', inline }, workspaceId }, c) =>
      download(c, await rootOf(workspaceId), given, { inline: inline === '1' }),
    'GET /ai/files/events': async ({ workspaceId }, c) => {
      const root = await rootOf(workspaceId)
      files.index.warm(root)
      return streamResponse(c, (sink) => files.watchers.open(root, sink))
    },
    'POST /ai/files/events/:id': async ({ params, body, workspaceId }) => ({
      watched: files.watchers.set(params.id, await rootOf(workspaceId), body.folders),
    }),
  })
}
