import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { root } from './run.mjs'

/**
 * `node bundle-program.mjs <folder>`: bundles the command line and all our code it imports into a folder. Its
 * `made.json` has `main` and `entries` (see packages/cli/bin/current-program.mjs), and `inputs`: the bundle is current
 * as long as none of these files and folders changes.
 */

/** Packages that every start loads. Others are loaded on demand from node_modules. */
const bundled = ['zod', 'kysely', 'hono', 'yaml', 'json5', 'unbash', 'acorn', 'acorn-jsx']

/** Folders that every server lists at startup to find its modules, and later. */
const readAtStart = ['packages/core/src/tools', 'packages/server/src/providers']
const registries = [...readAtStart, 'packages/core/src/web/search-providers', 'packages/server/src/lsp/servers']

const main = 'packages/cli/src/main.ts'
/** An entry for the tests that start servers as processes. */
const server = 'packages/server/src/index.ts'
const registered = registries.flatMap((folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
)
/** User tools get the same modules as the program. */
const library = ['protocol', 'core', 'agent'].flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8'))
  return Object.values(exports).map((entry) => path.join('packages', name, entry['troupe-source']))
})

const [folder] = process.argv.slice(2)
const inputs = [
  ...registries,
  ...['protocol', 'command-policy', 'core', 'agent', 'server', 'cli'].map((name) => `packages/${name}/package.json`),
  // Changes with every installation.
  'node_modules/.package-lock.json',
  path.relative(root, fileURLToPath(import.meta.url)),
]
const ofServer = new Set()

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries([
    ...[main, server, ...library, ...registered].map((file) => [file.replace(/\.ts$/, ''), path.join(root, file)]),
    ...['zod', 'zod/v4'].map((name) => [name, name]),
  ]),
  platform: 'node',
  resolve: { conditionNames: ['troupe-source', 'node', 'import', 'default'] },
  external: (id, importer) =>
    !/^[./]/.test(id) &&
    !id.startsWith('@troupe/') &&
    !bundled.includes(id.split('/')[0]) &&
    findNested(id, importer) === null,
  preserveEntrySignatures: 'allow-extension',
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    { name: 'find-nested', resolveId: findNested },
    { name: 'keep-place', transform: { filter: { id: /\.ts$/, code: 'import.meta.' }, handler: keepPlace } },
    {
      name: 'look-at-modules',
      buildEnd() {
        const ours = [...this.getModuleIds()].filter((id) => id.startsWith(path.join(root, 'packages') + path.sep))
        inputs.push(...ours.map((id) => path.relative(root, id)))
        findServer(this)
      },
    },
  ],
})
const { output } = await bundle.write({
  dir: folder,
  entryFileNames: '[name].mjs',
  chunkFileNames: 'chunks/[name]-[hash].mjs',
  sourcemap: true,
  sourcemapExcludeSources: true,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: 'server', test: (id) => ofServer.has(id) }],
  },
})
await bundle.close()

const entries = Object.fromEntries(
  output
    .filter(({ isEntry }) => isEntry)
    .flatMap(({ facadeModuleId: source, fileName }) => {
      const url = urlOf(path.join(folder, fileName))
      return [
        [source, url],
        [urlOf(source), url],
      ]
    }),
)
const made = { main: entries[path.join(root, main)], entries, inputs }
writeFileSync(path.join(folder, 'made.json'), JSON.stringify(made))

function urlOf(file) {
  return pathToFileURL(file).href
}

/** A package that npm installed inside of one of ours is not found from the bundle, so its address is written in full. */
function findNested(id, importer) {
  const name = /^(@[^/]+\/)?[^./@][^/]*/.exec(id)?.[0]
  const own = importer === undefined ? undefined : /^packages[/\\][^/\\]+/.exec(path.relative(root, importer))?.[0]
  if (name === undefined || own === undefined || !existsSync(path.join(root, own, 'node_modules', name))) return null
  return { id: urlOf(createRequire(importer).resolve(id)), external: true }
}

/** Files next to a source are resolved there, not next to the bundle. */
function keepPlace(code, id) {
  const places = { url: urlOf(id), filename: id, dirname: path.dirname(id) }
  const placed = code.replace(/\bimport\.meta\.(url|filename|dirname)\b/g, (_, name) => JSON.stringify(places[name]))
  return { code: placed, map: null }
}

/**
 * Bundles everything a starting server imports into one file, except the modules `troupe -p` needs to connect to a
 * running one.
 */
function findServer(modules) {
  const ofClient = new Set()
  const collect = (id, into) => {
    const module = modules.getModuleInfo(id)
    if (module === null || into.has(id) || ofClient.has(id)) return
    into.add(id)
    for (const imported of module.importedIds) collect(imported, into)
  }
  collect(path.join(root, 'packages/cli/src/commands/print.ts'), ofClient)
  const starts = registered.filter((file) => readAtStart.includes(path.dirname(file)))
  for (const file of [server, ...starts]) collect(path.join(root, file), ofServer)
}
