import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Where set-up leaves the bundled program of a checkout, and `current.json`, which tells what it was made of. */
export function programFolder(root) {
  return path.join(root, '.cache', 'program')
}

/**
 * The bundled program, if there is one and nothing that it was made of has changed since: `folder`, the URL of `main`,
 * and `entries`, the URLs of what can be loaded by itself, by the path and by the URL of its source.
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
    // There is none, or a cut-off one: set-up makes it anew.
    return undefined
  }
}
