import { openCompoundFile } from './compound-file.ts'

/** A sentence that names the macros of a document, which are never run. */
export function macroNote(project: Buffer | undefined, place: string): string {
  const names = project === undefined ? [] : macroModules(project)
  const list = names.length === 0 ? '' : `: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
  return `The document has macros in ${place}${list}. They were not run.`
}

/** Modules are the streams of a VBA project, next to its directory and caches. */
function macroModules(project: Buffer): string[] {
  try {
    return openCompoundFile(project)
      .entries.filter(({ path, isStorage }) => !isStorage && /(^|\/)VBA\/[^/]+$/i.test(path))
      .map(({ path }) => path.split('/').at(-1)!)
      .filter((name) => !/^(dir$|_VBA_PROJECT$|__SRP_)/i.test(name))
  } catch {
    return []
  }
}
