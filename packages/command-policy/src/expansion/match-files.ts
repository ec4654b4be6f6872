import { lstatSync, readdirSync } from 'node:fs'
import { UnsupportedSyntax } from './simple-script.ts'

/** Counts the directory entries read. Reading is synchronous and blocks the event loop. */
export interface LookLimit {
  looked: number
  most: number
}

/**
 * Returns the files that a pattern of bash matches now, sorted. Empty if there are none. Adds the folders it reads to
 * `folders`. Throws `UnsupportedSyntax` if the result depends on the locale or is too large.
 */
export function matchFiles(pattern: string, cwd: string, folders: Set<string>, limit: LookLimit): string[] {
  if (pattern.includes('\\')) throw new UnsupportedSyntax()
  let found = [pattern.startsWith('/') ? '/' : '']
  const segments = pattern.split('/').filter((segment, index) => segment !== '' || index > 0)
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1
    const next: string[] = []
    for (const before of found) {
      const folder = before.startsWith('/') ? before : `${cwd}/${before}`
      if (!/[*?[]/.test(segment)) {
        // Even testing existence reveals something, so record it.
        folders.add(`${folder}${segment}`)
        look(limit)
        if (last ? exists(`${folder}${segment}`) : isFolder(`${folder}${segment}`))
          next.push(`${before}${segment}${last ? '' : '/'}`)
        continue
      }
      folders.add(folder === '' ? '/' : folder)
      // Before version 5.2, bash includes `.` and `..` in names that start with a dot.
      for (const name of ['.', '..', ...entriesOf(folder)]) {
        look(limit)
        // Character boundaries in a name depend on the locale.
        if ((/[?[]/.test(segment) && /[^ -~]/.test(name)) || name.includes('\uFFFD')) throw new UnsupportedSyntax()
        if ((name.startsWith('.') && !segment.startsWith('.')) || !isMatch(name, segment)) continue
        if (last) next.push(`${before}${name}`)
        else if (isFolder(`${folder}${name}`)) next.push(`${before}${name}/`)
      }
    }
    found = next
  }
  return found.toSorted()
}

function look(limit: LookLimit): void {
  if (++limit.looked > limit.most) throw new UnsupportedSyntax()
}

/** In some locales a range of letters includes those of the other case. */
function isMatch(name: string, segment: string): boolean {
  const source = segment
    .split(/(\[!?[\w.-]+\])/)
    .map((part, index) => (index % 2 === 1 ? part.replace('[!', '[^') : plainSource(part)))
    .join('')
  const isExact = new RegExp(`^${source}$`, 's').test(name)
  if (/\[!?[^\]]*[A-Za-z]-/.test(segment) && isExact !== new RegExp(`^${source}$`, 'si').test(name))
    throw new UnsupportedSyntax()
  return isExact
}

function plainSource(part: string): string {
  return part
    .replaceAll(/[.+^$()|{}[\]]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
}

export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder === '' ? '/' : folder)
  } catch {
    return []
  }
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}

export function isFolder(file: string): boolean {
  try {
    return lstatSync(`${file}/.`, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

export function isSymlink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
