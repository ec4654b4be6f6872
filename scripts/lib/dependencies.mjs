import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Failure, npm, root, say } from './run.mjs'

const stamp = path.join(root, 'node_modules', '.troupe-setup')

/** True if the installed packages match the lock file and every package.json. */
export function dependenciesAreCurrent() {
  const wanted = wantedHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true
  if (!installedMatchesLock()) return false
  writeFileSync(stamp, wanted)
  return true
}

export async function installDependencies() {
  say('installing dependencies (npm ci)')
  const flags = ['--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const install = (more, options) =>
    npm(['ci', ...flags, ...more], options).catch((error) => {
      throw new Failure(`npm could not be started: ${error.message}. Install npm and try again.`)
    })
  // The lock file names no registry, so npm would ask one for each of 450 packages. What it knows is enough, unless it
  // knows only older versions of a package.
  const quick = await install(['--prefer-offline'], { stdio: 'pipe' })
  if (quick.code !== 0 && (await install([])).code !== 0) {
    throw new Failure(
      'npm ci failed (see above). Without network access to the npm registry the dependencies cannot be installed; ' +
        'behind a proxy set HTTPS_PROXY or "npm config set registry".',
    )
  }
  writeFileSync(stamp, wantedHash())
}

function manifests() {
  const packages = path.join(root, 'packages')
  const folders = readdirSync(packages).filter((name) => existsSync(path.join(packages, name, 'package.json')))
  return ['', ...folders.sort().map((name) => `packages/${name}`)]
}

function wantedHash() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const folder of manifests()) hash.update(readFileSync(path.join(root, folder, 'package.json')))
  return hash.update(readFileSync(path.join(root, 'package-lock.json'))).digest('hex')
}

/** Avoids a second install after a manual `npm install`. */
function installedMatchesLock() {
  const hidden = path.join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(hidden)) return false
  const lock = readJson(path.join(root, 'package-lock.json')).packages
  const installed = readJson(hidden).packages
  for (const folder of manifests()) {
    const manifest = readJson(path.join(root, folder, 'package.json'))
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      if (!isDeepStrictEqual(manifest[kind] ?? {}, lock[folder]?.[kind] ?? {})) return false
    }
  }
  return Object.entries(lock).every(([where, entry]) => {
    if (!where.startsWith('node_modules/') || !isForThisMachine(entry)) return true
    const there = installed[where]
    return there !== undefined && there.version === entry.version && there.integrity === entry.integrity
  })
}

function isForThisMachine({ os, cpu, libc, optional }) {
  if (libc !== undefined) return false
  if (os === undefined && cpu === undefined) return optional !== true
  return (os ?? [process.platform]).includes(process.platform) && (cpu ?? [process.arch]).includes(process.arch)
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
