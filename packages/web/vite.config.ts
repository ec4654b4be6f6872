import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { rolldown } from 'rolldown'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const server = process.env['TROUPE_DEV_SERVER'] ?? 'http://127.0.0.1:4880'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    licences(),
    frameLibrary('mermaid', buildMermaid),
    frameLibrary('page-runtime', buildPageRuntime),
    preloadFont(),
    refuseSchemas(),
  ],
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
        moduleSideEffects: (id) => !id.includes('/packages/protocol/src/') && !id.includes('/node_modules/zod/'),
      },
    },
  },
  server: {
    port: 4881,
    proxy: Object.fromEntries(
      ['/ai', '/health'].map((path) => [
        path,
        // The server takes only its own address as Host and Origin.
        { target: server, changeOrigin: true, headers: { origin: new URL(server).origin }, ws: true },
      ]),
    ),
  },
})

/** The page loads no schemas. A constant that shares a file with them would bring zod with it, a tenth of the first load. */
function refuseSchemas(): Plugin {
  return {
    name: 'refuse-schemas',
    generateBundle(_, bundle) {
      const first = Object.values(bundle).find((one) => one.type === 'chunk' && one.name === 'page')
      const ids = first?.type === 'chunk' ? first.moduleIds : []
      if (ids.some((id) => id.includes('/node_modules/zod/')))
        throw new Error(
          'The page imports zod: move what it needs of @troupe/protocol out of the file with the schemas.',
        )
    },
  }
}

/** Loads the font of most texts together with the script, so that the first frame has it. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {} }) {
        const file = Object.keys(bundle).find((name) => name.includes('inter-latin-wght-normal'))
        if (file === undefined) return []
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${file}` }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}

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
      const names = ['web', 'protocol', 'command-policy', 'core', 'server'].flatMap((room) =>
        Object.keys(read(`@troupe/${room}`)?.dependencies ?? {}),
      )
      const found = [...new Set(names)]
        .filter((name) => !name.startsWith('@troupe/'))
        .toSorted()
        .flatMap((name) => read(name) ?? [])
        .map(({ name, version, license = '' }) => ({ name, version, licence: license }))
      return `export default ${JSON.stringify([...found, ...generatedFrom()])}`
    },
  }
}

/** Packages whose content was copied by a generator, and which are not installed. */
function generatedFrom(): { name: string; version: string; licence: string }[] {
  const text = readFileSync(path.join(import.meta.dirname, 'src', 'models', 'family-marks.ts'), 'utf8')
  const [, name = '', version = ''] = /(@lobehub\/[\w-]+)@([\d.]+)/.exec(text) ?? []
  return [{ name, version, licence: 'MIT' }]
}

/** `virtual:<name>`: the address of a library as one script, for frames. */
function frameLibrary(name: string, build: () => Promise<string>): Plugin {
  const id = `virtual:${name}`
  const devPath = `/virtual-${name}.js`
  let isBuild = false
  let built: Promise<string> | undefined
  return {
    name: `${name}-library`,
    configResolved: ({ command }) => {
      isBuild = command === 'build'
    },
    configureServer(server) {
      server.middlewares.use(devPath, (_request, response, next) => {
        built ??= build()
        built.then((code) => response.setHeader('content-type', 'text/javascript').end(code), next)
      })
    },
    resolveId: (source) => (source === id ? `\0${id}` : null),
    async load(source) {
      if (source !== `\0${id}`) return null
      if (!isBuild) return `export default ${JSON.stringify(devPath)}`
      const file = this.emitFile({ type: 'asset', name: `${name}.js`, source: await build() })
      return `export default import.meta.ROLLUP_FILE_URL_${file}`
    },
  }
}

/**
 * Mermaid is built here, since the ready-made script holds elkjs, which is not under the licence of Troupe. Diagrams
 * that ask for its layout are laid out by dagre.
 */
async function buildMermaid(): Promise<string> {
  const folder = ['node_modules', '../../node_modules']
    .map((modules) => path.resolve(import.meta.dirname, modules, 'mermaid/dist'))
    .find((one) => existsSync(one))
  if (folder === undefined) throw new Error('Mermaid is not installed.')
  const chunks = path.join(folder, 'chunks/mermaid.core')
  const dagre = readdirSync(chunks).find((name) => /^dagre-\w+\.mjs$/.test(name))
  if (dagre === undefined) throw new Error('Mermaid has no chunk for the dagre layout.')
  const bundle = await rolldown({
    input: path.join(folder, 'mermaid.core.mjs'),
    platform: 'browser',
    plugins: [
      {
        name: 'without-elk',
        resolveId: (source) => (/\/elk-\w+\.mjs$/.test(source) ? path.join(chunks, dagre) : null),
      },
    ],
  })
  const { output } = await bundle.generate({
    format: 'iife',
    name: 'mermaid',
    exports: 'default',
    codeSplitting: false,
    minify: true,
    footer: ';globalThis.mermaid = mermaid;',
  })
  const [script] = output
  const foreign = script.moduleIds.find((name) => name.includes('/elkjs/'))
  if (foreign !== undefined || output.length > 1) throw new Error(`Mermaid was not built as meant: ${foreign}`)
  return script.code
}

/** React and a compiler, for pages of JSX that a user runs. */
async function buildPageRuntime(): Promise<string> {
  const bundle = await rolldown({
    input: path.join(import.meta.dirname, 'src/content/page/runtime/start.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['troupe-source', 'import', 'browser', 'default'] },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    treeshake: {
      moduleSideEffects: (id) => !id.includes('/packages/protocol/src/') && !id.includes('/node_modules/zod/'),
      manualPureFunctions: ['z'],
    },
  })
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false, minify: true })
  return output[0].code
}
