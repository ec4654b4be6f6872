import { type CompoundEntry, openCompoundFile } from './compound-file.ts'

/** A sentence that names the macros of a document, which are never run. `project` is a compound file. */
export function macroNote(project: Buffer | undefined, place: string): string {
  try {
    return (
      modulesNote(project === undefined ? [] : openCompoundFile(project).entries, place) ??
      modulesNote([], place, true)!
    )
  } catch {
    return modulesNote([], place, true)!
  }
}

/** Modules are the streams of a VBA project, next to its directory and caches. Undefined if there are none. */
export function modulesNote(entries: readonly CompoundEntry[], place: string, isCertain = false): string | undefined {
  const names = entries
    .filter(({ path, isStorage }) => !isStorage && /(^|\/)VBA\/[^/]+$/i.test(path))
    .map(({ path }) => path.split('/').at(-1)!)
    .filter((name) => !/^(dir$|_VBA_PROJECT$|__SRP_)/i.test(name))
  if (names.length === 0 && !isCertain) return undefined
  const list = names.length === 0 ? '' : `: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
  return `The document has macros in ${place}${list}. They were not run.`
}
