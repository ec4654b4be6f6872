import type { RecentFolder } from '@troupe/protocol'
import { t } from '../texts/t.ts'

type NamedFolder = Pick<RecentFolder, 'id' | 'name' | 'path' | 'node'>

/** The folder's name, with the computer it is on, or the folder around it if another recent folder has the same name. */
export function folderName(
  { id, name, path, node }: NamedFolder,
  all: readonly Pick<RecentFolder, 'id' | 'name' | 'node'>[],
): string {
  const isShared = all.some((one) => one.id !== id && one.name === name && one.node === node)
  const parts = path.split(/[/\\]/).filter((piece) => piece !== '')
  const own = isShared ? parts.slice(-2).join('/') : name
  return node === undefined ? own : t.folders.onComputer(own, node)
}
