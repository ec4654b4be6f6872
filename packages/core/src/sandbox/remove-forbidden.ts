import { type FSWatcher, lstatSync, rmSync, watch } from 'node:fs'
import path from 'node:path'

/** Removes files as soon as they come to be, until the returned function is called, which looks a last time. */
export function removeForbidden(places: readonly string[]): () => void {
  const folders = new Set(places.map((place) => path.dirname(place)))
  const watchers = [...folders].flatMap((folder) => watching(folder) ?? [])
  return () => {
    for (const watcher of watchers) watcher.close()
    removeAll()
  }

  function removeAll(): void {
    for (const place of places)
      if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) rmSync(place, { recursive: true, force: true })
  }

  function watching(folder: string): FSWatcher | undefined {
    const names = places.filter((place) => path.dirname(place) === folder).map((place) => path.basename(place))
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name !== null && names.includes(name)) removeAll()
      })
      // Then only the last look is left.
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return undefined
    }
  }
}
