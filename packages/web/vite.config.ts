import { readFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const server = process.env['TROUPE_DEV_SERVER'] ?? 'http://127.0.0.1:4880'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), licences()],
  resolve: { conditions: ['troupe-source', ...defaultClientConditions] },
  build: {
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The page's CSP has no place for inlined bytes.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What the page begins with is one file, however much of it other parts use too.
          groups: [{ name: 'page', tags: ['$initial'], test: (id) => !/(?:\/web\/src\/main\.tsx|\.html)$/.test(id) }],
        },
      },
      treeshake: {
        // Schemas of the protocol are values at module level: unused, they must not bring zod into the page.
        manualPureFunctions: ['z'],
        moduleSideEffects: (id) => !id.includes('/core/src/protocol/') && !id.includes('/node_modules/zod/'),
      },
    },
  },
  server: {
    port: 4881,
    proxy: Object.fromEntries(
      ['/ai', '/health'].map((path) => [
        path,
        // The server takes only its own address as Host and Origin.
        { target: server, changeOrigin: true, headers: { origin: new URL(server).origin } },
      ]),
    ),
  },
})

/** `virtual:licences`: what Troupe is built with, and under which licence each of it is. */
function licences(): Plugin {
  const id = 'virtual:licences'
  const modules = path.join(import.meta.dirname, 'node_modules')
  const roots = [modules, path.resolve(import.meta.dirname, '../../node_modules')]
  interface Manifest {
    name: string
    version: string
    license?: string
    dependencies?: object
  }
  const read = (name: string): Manifest | undefined => {
    for (const root of roots) {
      try {
        return JSON.parse(readFileSync(path.join(root, name, 'package.json'), 'utf8')) as Manifest
      } catch {
        // It lies in the other one, or is not for this machine.
      }
    }
    return undefined
  }
  return {
    name: 'licences',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    load(source) {
      if (source !== `\0${id}`) return null
      const names = ['web', 'core', 'server'].flatMap((room) =>
        Object.keys(read(`@troupe/${room}`)?.dependencies ?? {}),
      )
      const found = [...new Set(names)]
        .filter((name) => !name.startsWith('@troupe/'))
        .toSorted()
        .flatMap((name) => read(name) ?? [])
        .map(({ name, version, license = '' }) => ({ name, version, licence: license }))
      return `export default ${JSON.stringify(found)}`
    },
  }
}
