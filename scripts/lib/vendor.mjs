import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure, root, run, say } from './run.mjs'

/** Packages of many small files: one file each loads in a fraction of the time. See packages/cli/src/vendored.ts. */
const packages = ['zod', 'kysely']

const folder = path.join(root, '.cache', 'vendor')
const stamp = path.join(folder, 'made-for')

/** Whether the bundled packages are those that are installed. */
export function vendorIsCurrent() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === installed()
}

export async function buildVendor(node) {
  say('bundling packages that every start loads')
  const next = `${folder}.${process.pid}`
  rmSync(next, { recursive: true, force: true })
  mkdirSync(next, { recursive: true })
  const vite = pathToFileURL(path.join(root, 'node_modules', 'vite', 'dist', 'node', 'index.js')).href
  const settings = {
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: next,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(packages.map((name) => [name, name])),
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: 'shared-[hash].mjs' },
      },
    },
  }
  const program = `const { build } = await import(${JSON.stringify(vite)}); await build(${JSON.stringify(settings)})`
  const { code, output } = await run(node, ['--input-type=module', '-e', program], { cwd: root })
  if (code !== 0) throw new Failure(`packages could not be bundled:\n${output}`)
  writeFileSync(path.join(next, 'made-for'), installed())
  rmSync(folder, { recursive: true, force: true })
  renameSync(next, folder)
}

/** Changes with every installation. */
function installed() {
  return String(statSync(path.join(root, 'node_modules', '.package-lock.json')).mtimeMs)
}
