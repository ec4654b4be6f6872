import { readFileSync } from 'node:fs'
import path from 'node:path'
import { secretIn } from '../place-names.ts'

/**
 * Whether the lists of what to pass over, in a folder and above it, have ripgrep show a hidden file that is secret: a line
 * with `!` does.
 */
export function showsHidden(folder: string): boolean {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    for (const name of ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'])
      if (shownBy(path.join(at, name)).some(mayBeSecret)) return true
    if (at === path.dirname(at)) return false
  }
}

function shownBy(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1).trim())
  } catch {
    return []
  }
}

function mayBeSecret(pattern: string): boolean {
  const name = pattern.split('/').findLast((part) => part !== '') ?? ''
  return /[*?[\\]/.test(name) ? /^[.*?[\\]/.test(name) : secretIn(name) !== undefined
}
