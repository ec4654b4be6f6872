import { folderPatchSchema, NamedError, newFolderSchema, newId, type Folder, type Store } from '@troupe/core'
import { route, type Route } from '../route.ts'

/** The folders that a person keeps sessions in. */
export function folderRoutes({ store }: { store: Store }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/folders',
      summary: 'Folders of sessions, by name, with how many sessions at hand lie in each.',
      scoped: true,
      answers: { 200: '{folders}' },
      handle: async (c, { workspaceId }) => c.json({ folders: await store.folders.list(workspaceId) }),
    }),
    route({
      method: 'POST',
      path: '/ai/folders',
      summary: 'Makes a folder; in another one with parentFolderId, one deep.',
      body: newFolderSchema,
      scoped: true,
      answers: { 201: '{folder}', 404: 'FolderNotFound', 409: 'FolderExists, FolderTooDeep' },
      async handle(c, { body, workspaceId }) {
        const { id = newId('f_'), name, parentFolderId = null } = body
        return c.json({ folder: await store.folders.create({ id, workspaceId, name, parentFolderId }) }, 201)
      },
    }),
    route({
      method: 'PATCH',
      path: '/ai/folders/:id',
      summary: 'Renames or moves a folder.',
      body: folderPatchSchema,
      scoped: true,
      answers: { 200: '{folder}', 404: 'FolderNotFound', 409: 'FolderTooDeep' },
      async handle(c, { params, body, workspaceId }) {
        const { id } = await find(params['id'], workspaceId)
        const { name, parentFolderId } = body
        const patch = { ...(name !== undefined && { name }), ...(parentFolderId !== undefined && { parentFolderId }) }
        return c.json({ folder: await store.folders.update(id, patch) })
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/folders/:id',
      summary: 'Deletes a folder; what lies in it moves to where it lay.',
      scoped: true,
      answers: { 200: '{deleted}', 404: 'FolderNotFound' },
      async handle(c, { params, workspaceId }) {
        const { id } = await find(params['id'], workspaceId)
        await store.folders.delete(id)
        return c.json({ deleted: id })
      },
    }),
  ]

  async function find(id: string | undefined, workspaceId: string): Promise<Folder> {
    const found = (await store.folders.list(workspaceId)).find((folder) => folder.id === id)
    if (found === undefined) throw new NamedError('FolderNotFound', 'There is no such folder.', { status: 404 })
    return found
  }
}
