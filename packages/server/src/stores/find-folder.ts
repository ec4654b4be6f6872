import { newId } from '@troupe/core'
import type { Folder, Store } from '@troupe/core'

/** The folder of these names, from the outside; made where there is none. Null for no names. */
export async function findFolder(
  store: Pick<Store, 'folders'>,
  workspaceId: string,
  names: string[],
): Promise<string | null> {
  let parentFolderId: string | null = null
  for (const name of names.slice(0, 2)) {
    const folders = await store.folders.list(workspaceId)
    const known: Folder | undefined = folders.find(
      (folder) => folder.name === name && folder.parentFolderId === parentFolderId,
    )
    const folder: Folder = known ?? (await store.folders.create({ id: newId('f_'), workspaceId, name, parentFolderId }))
    parentFolderId = folder.id
  }
  return parentFolderId
}
