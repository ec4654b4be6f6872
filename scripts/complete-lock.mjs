import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { main, root } from './lib/run.mjs'

/**
 * After `npm install`: adds binaries for other platforms that the current registry lacks, so that `npm ci` accepts the
 * lock file everywhere. With `--check` it only reports missing ones.
 */
await main(() => {
  const file = path.join(root, 'package-lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const { packages, missing } = complete(lock.packages)
  if (missing.length === 0) return
  if (process.argv.includes('--check')) {
    console.log(`package-lock.json lacks ${missing.join(', ')}: run "node scripts/complete-lock.mjs"`)
    process.exitCode = 1
    return
  }
  writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  console.log(`added ${missing.length} packages of other platforms to package-lock.json`)
})

function complete(packages) {
  const all = { ...packages }
  const missing = []
  for (const [where, entry] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const isThere = ancestors(where).some((folder) => `${folder}node_modules/${name}` in all)
      if (isThere) continue
      missing.push(name)
      all[`node_modules/${name}`] = {
        version: range.replace(/^[\^~=]/, ''),
        ...platformOf(name),
        ...(entry.dev && { dev: true }),
        optional: true,
      }
    }
  }
  const sorted = Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en'))
  return { packages: Object.fromEntries(sorted), missing }
}

/**
 * Returns the folders in which a package at `where` looks for its dependencies, each empty or with a trailing slash.
 */
function ancestors(where) {
  const folders = [where === '' ? '' : `${where}/`]
  for (let at = where.lastIndexOf('/node_modules/'); at > 0; at = where.lastIndexOf('/node_modules/', at - 1)) {
    folders.push(where.slice(0, at + 1))
  }
  return [...folders, '']
}

function platformOf(name) {
  const words = name.split(/[/-]/)
  const pick = (known) => known.filter((word) => words.includes(word)).slice(0, 1)
  const os = pick([
    'darwin',
    'linux',
    'win32',
    'android',
    'freebsd',
    'openharmony',
    'netbsd',
    'openbsd',
    'sunos',
    'aix',
  ])
  const cpu = pick(['x64', 'arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32'])
  if (os.length + cpu.length === 0) throw new Error(`cannot tell which platform ${name} is for`)
  const libc = /musl/.test(name) ? ['musl'] : /gnu/.test(name) && os[0] === 'linux' ? ['glibc'] : []
  return {
    ...(cpu.length > 0 && { cpu }),
    ...(libc.length > 0 && { libc }),
    ...(os.length > 0 && { os }),
  }
}
