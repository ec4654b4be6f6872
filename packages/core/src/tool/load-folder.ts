import { readdirSync, realpathSync } from 'node:fs'
import * as module from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

export interface Loaded<T> {
  entries: { name: string; path: string; value: T }[]
  problems: { path: string; message: string }[]
}

/**
 * The folder is the registry: the default export of each `.ts` or `.js` file, named after the file. A file that throws
 * or fails the check is reported with its path, and the rest still loads. A folder that does not exist is empty.
 */
export async function loadFolder<T>(
  folder: string,
  check: (value: unknown, name: string, path: string) => T,
): Promise<Loaded<T>> {
  return loadFolderSync(folder, check)
}

/** Loads modules natively and synchronously, so files must not use top-level await. */
export function loadFolderSync<T>(folder: string, check: (value: unknown, name: string, path: string) => T): Loaded<T> {
  const loaded: Loaded<T> = { entries: [], problems: [] }
  provideOurPackages()
  for (const file of moduleFiles(folder)) {
    const name = path.basename(file).replace(/\.[jt]s$/, '')
    try {
      const loadedModule = require(file) as { default?: unknown }
      if (loadedModule.default === undefined) throw new Error('the file has no default export')
      loaded.entries.push({ name, path: file, value: check(loadedModule.default, name, file) })
    } catch (error) {
      loaded.problems.push({ path: file, message: errorMessage(error) })
    }
  }
  return loaded
}

const require = module.createRequire(import.meta.url)

function moduleFiles(folder: string): string[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return names
    .filter((name) => /\.[jt]s$/.test(name) && !/\.(test|d)\.[jt]s$/.test(name))
    .toSorted()
    .map((name) => path.join(folder, name))
}

function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return code === 'ERR_REQUIRE_ASYNC_MODULE' ? 'tool files must not use top-level await' : error.message
}

let provided = false

/**
 * Lets a user's own tools import our packages and `zod` from anywhere. Runtimes without hooks (Bun, older Node) can
 * still import this file, but such tools then need a `node_modules` with these packages.
 */
function provideOurPackages(): void {
  if (provided) return
  provided = true
  const here = pathToFileURL(realpathSync(import.meta.filename)).href
  ;(module as { registerHooks?: typeof module.registerHooks }).registerHooks?.({
    resolve(specifier, context, next) {
      if (!/^(@troupe\/(core|agent|protocol)|zod|ai)(\/|$)/.test(specifier)) return next(specifier, context)
      try {
        return next(specifier, context)
      } catch (error) {
        if (context.parentURL === here) throw error
        return next(specifier, { ...context, parentURL: here })
      }
    },
  })
}
