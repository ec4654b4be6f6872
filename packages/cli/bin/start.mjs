import { enableCompileCache, registerHooks } from 'node:module'
import path from 'node:path'
import { currentProgram } from './current-program.mjs'

const root = path.resolve(import.meta.dirname, '../../..')
const program = currentProgram(root)

// Caches V8's compiled code, which halves the startup time.
enableCompileCache(path.join(program?.folder ?? path.join(root, '.cache'), 'compile'))
if (process.env.TROUPE_DEBUG) process.setSourceMapsEnabled(true)
if (program !== undefined) takeFrom(program)
await import(program?.main ?? '../src/main.ts')

/** Redirects imports of tools, providers and our packages, including those from user files, to the bundled modules. */
function takeFrom({ entries }) {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = specifier in entries ? { url: specifier } : next(specifier, context)
      const url = entries[resolved.url]
      return url === undefined ? resolved : { url, format: 'module', shortCircuit: true }
    },
  })
}
