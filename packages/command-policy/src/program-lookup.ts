import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { programs } from './programs/programs.ts'

/**
 * Tells whether a name leads to the program that is known by it. It does not when PATH looks in the workspace or in a
 * folder that is not given in full, nor when it comes first upon a shim, which runs what the folder says (asdf, pyenv,
 * mise). The programs of the tables are those of GNU and Linux, which they were tried with: others of the same name, as
 * on a Mac or in BusyBox, have other options. What was found is kept for as long as the lookup is.
 */
export function createProgramLookup(given: {
  path: string
  roots: readonly string[]
  platform?: string
}): (name: string) => boolean {
  const isTried = (given.platform ?? process.platform) === 'linux'
  const folders = given.path.split(path.delimiter)
  const known = new Map<string, boolean>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const answer = (isTried || !programs.has(name)) && isTrusted(name, folders, given.roots)
    known.set(name, answer)
    return answer
  }
}

/** One file that is many programs, none of them the usual one. */
const multiCallBinary = /^(busybox|toybox|sbase-box|coreutils|uutils)(\.|$)/

function isTrusted(name: string, folders: readonly string[], roots: readonly string[]): boolean {
  for (const folder of folders) {
    // What is not there yet may be there when the command runs.
    if (!path.isAbsolute(folder) || isIn(folder, roots)) return false
    const file = path.join(folder, name)
    if (!isProgram(file)) continue
    const real = realpathSync(file)
    if (multiCallBinary.test(path.basename(real))) return false
    return path.basename(folder) !== 'shims' && !isIn(real, roots) && !/(^|[-/])shims?($|[-/])/.test(real)
  }
  // Nothing runs where there is no program.
  return true
}

function isIn(file: string, roots: readonly string[]): boolean {
  const places = [file, realOf(file)]
  return places.some((place) =>
    roots.some((root) => place === root || place.startsWith(`${root === '/' ? '' : root}/`)),
  )
}

function realOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
