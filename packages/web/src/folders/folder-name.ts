import type { RecentFolder } from '@troupe/protocol'

/** The folder's name, with the one around it if another recent folder has the same name. */
export function folderName(
  { id, name, path }: Pick<RecentFolder, 'id' | 'name' | 'path'>,
  all: readonly Pick<RecentFolder, 'id' | 'name'>[],
): string {
  const isShared = all.some((one) => one.id !== id && one.name === name)
  if (!isShared) return name
  const parts = path.split(/[/\\]/).filter((piece) => piece !== '')
  return parts.slice(-2).join('/')
}
