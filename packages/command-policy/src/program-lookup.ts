import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { programs } from './programs/programs.ts'

/**
 * Returns a function that tests if a name resolves to the well-known program. It does not if PATH includes the
 * workspace or a relative folder, or if a shim comes first that runs a program chosen by the folder (asdf, pyenv,
 * mise). The rule tables were tested with GNU and Linux programs. Programs of the same name on a Mac or in BusyBox have
 * other options and do not count. Results are cached for the lifetime of the lookup.
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
    const isKnownHere = isTried || !programs.has(name) || programs.get(name)?.everywhere === true
    const answer = isKnownHere && isTrusted(name, folders, given.roots)
    known.set(name, answer)
    return answer
  }
}

/** One binary that acts as many programs, none of them the standard one. */
const multiCallBinary = /^(busybox|toybox|sbase-box|coreutils|uutils)(\.|$)/

function isTrusted(name: string, folders: readonly string[], roots: readonly string[]): boolean {
  for (const folder of folders) {
    // A program missing now may exist when the command runs.
    if (!path.isAbsolute(folder) || isIn(folder, roots)) return false
    const file = path.join(folder, name)
    if (!isProgram(file)) continue
    const real = realpathSync(file)
    if (multiCallBinary.test(path.basename(real))) return false
    return path.basename(folder) !== 'shims' && !isIn(real, roots) && !/(^|[-/])shims?($|[-/])/.test(real)
  }
  // No program of this name exists, so nothing runs.
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
