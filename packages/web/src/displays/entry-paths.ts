/** An entry of a list: a whole path, or a name below the last folder of a lesser depth. */
export interface ListedName {
  name: string
  depth: number
  isFolder: boolean
}

/** Where each entry of a folder's list lies. */
export function entryPaths(folder: string, entries: readonly ListedName[]): string[] {
  const start = folder === '' || folder === '.' ? '' : `${folder.replace(/\/$/, '')}/`
  const above: string[] = []
  return entries.map(({ name, depth, isFolder }) => {
    if (name.includes('/')) return name
    const parents = above.slice(0, depth)
    if (isFolder) above[depth] = name
    above.length = Math.min(above.length, depth + 1)
    return `${start}${[...parents, name].join('/')}`
  })
}
