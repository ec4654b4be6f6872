/** True if the text is meant as a path rather than as words to find. */
export function isPath(typed: string): boolean {
  return /^(?:[/~\\]|[A-Za-z]:[/\\])/.test(typed)
}

/** Completes a typed path as far as all folders that match agree, as a shell does. */
export function completeTyped(typed: string, entries: readonly { path: string }[]): string {
  const paths = entries.map(({ path }) => path)
  const [first] = paths
  if (first === undefined || typed.startsWith('~'))
    return paths.length === 1 && first !== undefined ? `${first}/` : typed
  if (paths.length === 1) return `${first}/`
  let length = 0
  while (length < first.length && paths.every((path) => path[length]?.toLowerCase() === first[length]?.toLowerCase()))
    length++
  return length > typed.length ? first.slice(0, length) : typed
}

/** The folder around a folder, with a slash at its end. Undefined for a root. */
export function parentOf(folder: string): string | undefined {
  const parts = folder.split(/(?<=[/\\])/)
  const around = parts.slice(0, -1).join('')
  return around === '' ? undefined : around
}
