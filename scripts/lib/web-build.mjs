import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Failure, root, run, say } from './run.mjs'

const web = path.join(root, 'packages', 'web')
const dist = path.join(web, 'dist')
const stamp = path.join(root, '.cache', 'web-build')
const sources = [
  'package-lock.json',
  'tsconfig.base.json',
  'packages/web/index.html',
  'packages/web/package.json',
  'packages/web/public',
  'packages/web/src',
  'packages/web/tsconfig.json',
  'packages/web/vite.config.ts',
  'packages/core/package.json',
  'packages/core/src/protocol',
]

/** Whether the built page is that of the sources as they are now. */
export function webIsCurrent() {
  if (!existsSync(path.join(dist, 'index.html')) || !existsSync(stamp)) return false
  return readFileSync(stamp, 'utf8') === sourceHash()
}

/** Builds beside the old page and swaps, so that a server that is running always finds a whole one. */
export async function buildWeb(node) {
  say('building the page (vite)')
  const hash = sourceHash()
  const next = path.join(root, '.cache', `web.${process.pid}`)
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', next, '--emptyOutDir', '--logLevel', 'warn']
  const { code, output } = await run(node, args, { cwd: web, env: { ...process.env, NODE_ENV: 'production' } })
  if (code !== 0) {
    rmSync(next, { recursive: true, force: true })
    throw new Failure(`the page could not be built:\n${output}`)
  }
  rmSync(dist, { recursive: true, force: true })
  renameSync(next, dist)
  writeFileSync(stamp, hash)
}

function sourceHash() {
  const hash = createHash('sha256')
  const add = (name) => {
    const full = path.join(root, name)
    const found = statSync(full, { throwIfNoEntry: false })
    if (found?.isDirectory()) for (const child of readdirSync(full).sort()) add(`${name}/${child}`)
    else if (found !== undefined && !/\.test\.tsx?$/.test(name)) hash.update(`${name}\0`).update(readFileSync(full))
  }
  for (const name of sources) add(name)
  return hash.digest('hex')
}
