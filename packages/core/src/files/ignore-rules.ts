import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Ignore } from 'ignore'

/** What version control ignores, in one folder and those above it. */
export interface IgnoreRules {
  ignores(name: string, isFolder: boolean): boolean
  /** The rules of a folder inside this one. */
  enter(name: string): IgnoreRules
}

const ignoreFileNames = ['.gitignore', '.ignore']

/** Rules from `root` down to `folder`. A folder that is itself ignored was asked for by name: only its own count then. */
export async function loadIgnoreRules(folder: string, root: string): Promise<IgnoreRules> {
  const { default: ignore } = await import('ignore')
  let rules = rulesOf(root, [])
  for (const name of path.relative(root, folder).split(path.sep)) {
    if (name === '' || name === '..') break
    if (rules.ignores(name, true)) return rulesOf(folder, [])
    rules = rules.enter(name)
  }
  return rules

  function rulesOf(here: string, above: readonly { base: string; rules: Ignore }[]): IgnoreRules {
    const own = readRules(here)
    const all = own === undefined ? above : [...above, { base: here, rules: ignore({ ignorecase: false }).add(own) }]
    return {
      ignores(name, isFolder) {
        if (name === '.git') return true
        let isIgnored = false
        for (const { base, rules } of all) {
          const relative = path.relative(base, path.join(here, name)).split(path.sep).join('/')
          const result = rules.test(isFolder ? `${relative}/` : relative)
          if (result.ignored) isIgnored = true
          else if (result.unignored) isIgnored = false
        }
        return isIgnored
      },
      enter: (name) => rulesOf(path.join(here, name), all),
    }
  }
}

function readRules(folder: string): string | undefined {
  const texts: string[] = []
  for (const name of ['.git/info/exclude', ...ignoreFileNames]) {
    try {
      texts.push(readFileSync(path.join(folder, name), 'utf8'))
    } catch {
      // Most folders have none; one that cannot be read hides nothing.
    }
  }
  return texts.length === 0 ? undefined : texts.join('\n')
}
