import { registerHooks } from 'node:module'

/** Redirects imports of tools, providers and our packages, including those from user files, to the bundled modules. */
export function takeFrom({ entries }) {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = specifier in entries ? { url: specifier } : next(specifier, context)
      const url = entries[resolved.url]
      return url === undefined ? resolved : { url, format: 'module', shortCircuit: true }
    },
  })
}
