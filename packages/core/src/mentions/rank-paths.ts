/** The paths that a few letters may mean, the likeliest first: of equals those that came first. Folders end in `/`. */
export function rankPaths(query: string, files: readonly string[], limit: number): string[] {
  const wanted = query.toLowerCase()
  const ranked: [score: number, path: string][] = []
  for (const path of [...foldersOf(files), ...files]) {
    const score = scoreOf(wanted, path.toLowerCase())
    if (score !== undefined) ranked.push([score, path])
  }
  return ranked
    .toSorted(([a], [b]) => a - b)
    .slice(0, limit)
    .map(([, path]) => path)
}

function foldersOf(files: readonly string[]): Set<string> {
  const folders = new Set<string>()
  for (const file of files) {
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

/** Lower is likelier; undefined when the letters are not in it, in order. */
function scoreOf(wanted: string, path: string): number | undefined {
  if (wanted === '') return path.split('/').length
  const base = path.slice(path.lastIndexOf('/', path.length - 2) + 1)
  if (path === wanted) return 0
  if (path.startsWith(wanted)) return 1 + path.length / 1000
  if (base.startsWith(wanted)) return 2 + path.length / 1000
  if (base.includes(wanted)) return 3 + path.length / 1000
  if (path.includes(wanted)) return 4 + path.length / 1000
  let at = -1
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1)
    if (at === -1) return undefined
  }
  return 6 + path.length / 1000
}
