import { existsSync, readFileSync, statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Two packages of hundreds of small files take a third of a start. Set-up bundles each into one file; here everybody
 * who imports them gets that file. Nothing changes where the bundles are missing or older than what is installed.
 */
export function useVendored(root: string): void {
  const folder = path.join(root, '.cache', 'vendor')
  if (!isCurrent(root, folder)) return
  const urlOf = (name: string): string => pathToFileURL(path.join(folder, `${name}.mjs`)).href
  const bundles = new Map([
    ['zod', urlOf('zod')],
    ['zod/v4', urlOf('zod')],
    ['kysely', urlOf('kysely')],
  ])
  registerHooks({
    resolve(specifier, context, next) {
      const url = bundles.get(specifier)
      return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true }
    },
  })
}

function isCurrent(root: string, folder: string): boolean {
  const stamp = path.join(folder, 'made-for')
  if (!existsSync(stamp)) return false
  const installed = statSync(path.join(root, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false })
  return installed !== undefined && readFileSync(stamp, 'utf8') === String(installed.mtimeMs)
}
