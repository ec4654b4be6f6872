import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { withLock } from './lock.mjs'
import { Failure, root, run, say } from './run.mjs'

const web = path.join(root, 'packages', 'web')
const dist = path.join(web, 'dist')
const stamp = path.join(root, '.cache', 'web-build')
const pages = path.join(root, '.cache', 'pages')
const keptFor = 2 * 60 * 60 * 1000
const sources = [
  'package-lock.json',
  'tsconfig.base.json',
  'packages/web/index.html',
  'packages/web/package.json',
  'packages/web/public',
  'packages/web/src',
  'packages/web/tsconfig.json',
  'packages/web/vite.config.ts',
  'packages/protocol/package.json',
  'packages/protocol/src',
  'packages/client/package.json',
  'packages/client/src',
]

export function webIsCurrent() {
  if (!existsSync(path.join(dist, 'index.html')) || !existsSync(stamp)) return false
  return readFileSync(stamp, 'utf8') === sourceHash()
}

/** Builds next to the old page and swaps, so that a running server always finds a complete one. */
export async function buildWeb(node) {
  say('building the page (vite)')
  const hash = sourceHash()
  const next = path.join(root, '.cache', `web.${process.pid}`)
  await runVite(node, web, next)
  rmSync(dist, { recursive: true, force: true })
  renameSync(next, dist)
  writeFileSync(stamp, hash)
}

/**
 * Returns a folder with the page built from the current sources, for tests. It never changes while in use and is built
 * once for equal sources.
 */
export async function builtPage() {
  const folder = path.join(pages, sourceHash().slice(0, 16))
  if (!existsSync(folder)) {
    await withLock(`${folder}.lock`, async () => {
      if (existsSync(folder)) return
      removeOldPages()
      const next = `${folder}.${process.pid}`
      if (webIsCurrent()) cpSync(dist, next, { recursive: true })
      else await buildCopy(`${folder}.sources`, next)
      renameSync(next, folder)
    })
  }
  utimesSync(folder, new Date(), new Date())
  return folder
}

/** Builds from a copy, so that concurrent edits cannot end up in half of the page. */
async function buildCopy(copy, outFolder) {
  rmSync(copy, { recursive: true, force: true })
  try {
    for (const name of ['src', 'public', 'index.html', 'vite.config.ts', 'package.json'])
      cpSync(path.join(web, name), path.join(copy, name), { recursive: true })
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
    await runVite(process.execPath, copy, outFolder)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function removeOldPages() {
  for (const name of readdirSync(pages)) {
    const found = statSync(path.join(pages, name), { throwIfNoEntry: false })
    if (found !== undefined && !name.endsWith('.lock') && Date.now() - found.mtimeMs > keptFor)
      rmSync(path.join(pages, name), { recursive: true, force: true })
  }
}

async function runVite(node, folder, outFolder) {
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', outFolder, '--emptyOutDir', '--logLevel', 'warn']
  const env = { ...process.env, NODE_ENV: 'production' }
  const { code, output } = await run(node, args, { cwd: folder, env })
  if (code === 0) return
  rmSync(outFolder, { recursive: true, force: true })
  throw new Failure(`the page could not be built:\n${output}`)
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
