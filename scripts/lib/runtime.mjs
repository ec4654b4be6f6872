import { existsSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { Failure, npm, root, run, say } from './run.mjs'

const version = '24.21.0'
const home = path.join(root, '.cache', 'runtime')
const binary = path.join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Returns the Node that runs the project: this one if it is new enough, else the downloaded one, if present. */
export function findRuntime() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const brought = path.join(home, binary)
  return existsSync(brought) ? brought : undefined
}

/** Creates a link for `packages/cli/bin/troupe`, so it need not check a Node version. */
export function linkRuntime(node) {
  const link = path.join(root, '.cache', 'node')
  if (process.platform === 'win32' || pointsTo(link, node)) return
  mkdirSync(path.dirname(link), { recursive: true })
  const next = `${link}.${process.pid}`
  rmSync(next, { force: true })
  symlinkSync(node, next)
  renameSync(next, link)
}

function pointsTo(link, target) {
  try {
    return readlinkSync(link) === target
  } catch {
    return false
  }
}

/**
 * Installs Node as an npm package. Tries the package with this machine's binary first, which needs no install script,
 * then `node` itself, which does.
 */
export async function installRuntime() {
  say(`bringing Node ${version} along (this machine has ${process.versions.node}; nothing outside this folder changes)`)
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const family = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const attempts = [
    [`node@npm:${family}-${platform}-${process.arch}@${version}`, '--ignore-scripts'],
    [`node@${version}`, '--ignore-scripts=false'],
  ]
  const next = `${home}.${process.pid}`
  for (const attempt of attempts) {
    rmSync(next, { recursive: true, force: true })
    mkdirSync(next, { recursive: true })
    const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error', '--global=false']
    const { code } = await npm(['install', '--prefix', next, ...flags, ...attempt])
    if (code !== 0) continue
    const check = await run(path.join(next, binary), ['--version']).catch(() => ({ code: 1 }))
    if (check.code !== 0) continue
    rmSync(home, { recursive: true, force: true })
    renameSync(next, home)
    return
  }
  rmSync(next, { recursive: true, force: true })
  throw new Failure(
    `Node 24 is needed; this machine has ${process.versions.node}, and the npm package "node" could not be installed ` +
      '(see above). Install Node 24 or newer from nodejs.org and try again.',
  )
}
