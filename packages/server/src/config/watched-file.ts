import { statSync } from 'node:fs'
import { NamedError } from '@troupe/protocol'

/** A file that is read anew when it has changed. */
export interface WatchedFile<T> {
  readonly path: string
  /** What it says; while it cannot be read, what it said before. Undefined: it never could be. */
  get(): T | undefined
  /** What keeps it from being read now. */
  problem(): NamedError | undefined
}

/** `read` throws a NamedError for a file that cannot be understood, and knows what a missing one means. */
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

/** Changes whenever the file does. */
export function fileVersion(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable'
  }
}
