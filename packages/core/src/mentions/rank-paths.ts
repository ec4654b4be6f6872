const byName = new Intl.Collator('en', { numeric: true })

type Ranked = [score: number, path: string]

/**
 * The files and folders that a few typed letters may mean, likeliest first, equal ones as a person sorts them, and how
 * many there are in all. What ends in a slash is a folder: what lies in it is meant, not the folder.
 */
export function rankPaths(query: string, files: readonly string[], limit: number): { paths: string[]; total: number } {
  const wanted = query.toLowerCase()
  /** The best so far, in order: tens of thousands of names are not sorted for the few that are shown. */
  const best: Ranked[] = []
  let total = 0
  for (const path of [...foldersOf(files), ...files]) {
    const score = scoreOf(wanted, path.toLowerCase())
    if (score === undefined) continue
    total++
    insert(best, [score, path], limit)
  }
  return { paths: best.map(([, path]) => path), total }
}

function insert(best: Ranked[], one: Ranked, limit: number): void {
  const last = best.at(-1)
  if (best.length >= limit && (last === undefined || compare(last, one) <= 0)) return
  let [low, high] = [0, best.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(best[middle] as Ranked, one) <= 0) low = middle + 1
    else high = middle
  }
  best.splice(low, 0, one)
  if (best.length > limit) best.pop()
}

function compare([a, one]: Ranked, [b, other]: Ranked): number {
  return a - b || byName.compare(one, other)
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
  if (wanted.endsWith('/')) {
    if (path === wanted) return undefined
    if (path.startsWith(wanted)) return path.split('/').length / 1000
  }
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
