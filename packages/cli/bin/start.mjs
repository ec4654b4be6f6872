import { enableCompileCache, registerHooks } from 'node:module'
import path from 'node:path'
import { currentProgram } from './current-program.mjs'

/** Starts the program as set-up bundled it, or from its sources where these have changed since. */
const root = path.resolve(import.meta.dirname, '../../..')
const program = currentProgram(root)

// V8's compiled code is kept, which halves the start.
enableCompileCache(path.join(program?.folder ?? path.join(root, '.cache'), 'compile'))
if (process.env.TROUPE_DEBUG) process.setSourceMapsEnabled(true)
if (program !== undefined) takeFrom(program)
await import(program?.main ?? '../src/main.ts')

/** Tools and providers are found in their folders, and a person's own files import our packages: all get the bundled ones. */
function takeFrom({ entries }) {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = specifier in entries ? { url: specifier } : next(specifier, context)
      const url = entries[resolved.url]
      return url === undefined ? resolved : { url, format: 'module', shortCircuit: true }
    },
  })
}
