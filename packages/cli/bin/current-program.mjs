import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Folder of the bundled program of a checkout, and of `current.json`, which lists its inputs. */
export function programFolder(root) {
  return path.join(root, '.cache', 'program')
}

/**
 * Returns the bundled program if it exists and none of its inputs has changed: `folder`, the URL of `main`, and
 * `entries`, the URLs of separately loadable modules, keyed by the path and the URL of their source.
 */
export function currentProgram(root) {
  const program = readProgram(root)
  if (program === undefined || program.root !== root) return undefined
  for (const [file, changed] of Object.entries(program.madeOf)) {
    if (statSync(file, { throwIfNoEntry: false })?.mtimeMs !== changed) return undefined
  }
  return program
}

function readProgram(root) {
  try {
    return JSON.parse(readFileSync(path.join(programFolder(root), 'current.json'), 'utf8'))
  } catch {
    // Missing or truncated: setup rebuilds it.
    return undefined
  }
}
