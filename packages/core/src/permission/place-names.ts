import { guardedPlaces, strictPlaces } from './protected-places.ts'
import { openFiles, secretFiles, secretFolders } from './secret-files.ts'

const isSecretFile = matcher(secretFiles, '$')
const isOpenFile = matcher(openFiles, '$')
const isInSecretFolder = matcher(secretFolders, '(?=/|$)')
const isStrict = matcher(strictPlaces, '(?=/|$)')
const isGuarded = matcher(guardedPlaces, '(?=/|$)')

/** The names of a path that make it secret (`.env`, `.ssh`), or undefined. The path has `/` between its names. */
export function secretIn(path: string): string | undefined {
  return isInSecretFolder(path) ?? (isOpenFile(path) === undefined ? isSecretFile(path) : undefined)
}

/** Whether a file of that name holds secrets, wherever it lies. */
export function isSecretName(name: string): boolean {
  return secretIn(name) !== undefined
}

/** The names of a path that make writing there a matter of its own, or undefined. */
export function protectedIn(path: string): { place: string; strict: boolean } | undefined {
  const strict = isStrict(path)
  if (strict !== undefined) return { place: strict, strict: true }
  const guarded = isGuarded(path)
  return guarded === undefined ? undefined : { place: guarded, strict: false }
}

/** One expression for a whole list: a path is tried once, however long the list is. */
function matcher(globs: readonly string[], end: string): (path: string) => string | undefined {
  const expression = new RegExp(`(?:^|/)(${globs.map(globSource).join('|')})${end}`, 'i')
  return (path) => expression.exec(path)?.[1]
}

function globSource(glob: string): string {
  return glob
    .replace(/[.+^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '[^/]*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')')
    .replaceAll(',', '|')
}
