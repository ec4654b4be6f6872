import { statSync } from 'node:fs'
import { NamedError } from '@troupe/protocol'

export interface WatchedFile<T> {
  readonly path: string
  /**
   * Returns the current value, or the previous one while the file is unreadable. Undefined if it was never readable.
   */
  get(): T | undefined
  problem(): NamedError | undefined
}

/** `read` throws a NamedError for an invalid file, and returns a value for a missing one. */
export function watchFile<T>(path: string, read: (path: string) => T): WatchedFile<T> {
  let version: string | undefined
  let value: T | undefined
  let problem: NamedError | undefined

  function refresh(): void {
    const current = fileVersion(path)
    if (current === version) return
    version = current
    problem = undefined
    try {
      value = read(path)
    } catch (error) {
      if (!(error instanceof NamedError)) throw error
      problem = error
    }
  }

  return {
    path,
    get() {
      refresh()
      return value
    },
    problem() {
      refresh()
      return problem
    },
  }
}

/** Returns a string that changes whenever the file does. */
export function fileVersion(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable'
  }
}
