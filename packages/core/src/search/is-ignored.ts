import { existsSync } from 'node:fs'
import path from 'node:path'
import { loadIgnoreRules } from '../files/ignore-rules.ts'

/**
 * Whether ignore files above a folder leave it out, with all that is in it. Whoever searches there has named it, so
 * those files do not count then. A repository knows nothing of what lies above it.
 */
export async function isIgnored(folder: string): Promise<boolean> {
  const { root } = path.parse(folder)
  let here = root
  let rules = await loadIgnoreRules(root, root)
  let ignored = false
  for (const name of path.relative(root, folder).split(path.sep).filter(Boolean)) {
    ignored ||= rules.ignores(name, true)
    here = path.join(here, name)
    const isRepository = existsSync(path.join(here, '.git'))
    if (isRepository) ignored = false
    rules = isRepository ? await loadIgnoreRules(here, here) : rules.enter(name)
  }
  return ignored
}

/** Options for a search in a folder. */
export async function ignoreOptions(folder: string): Promise<string[]> {
  return (await isIgnored(folder)) ? ['--no-ignore-parent'] : []
}
