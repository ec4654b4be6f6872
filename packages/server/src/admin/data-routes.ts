import { copyFile, link, mkdir, open, readdir, readlink, rename, rm, stat, statfs, symlink } from 'node:fs/promises'
import path from 'node:path'
import type { Store } from '@troupe/core'
import { type Backup, dataEndpoints, type HomeUsage, NamedError } from '@troupe/protocol'
import type { Home } from '../config/home.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import { createKeyedMutex, runInWorker } from '../util/concurrency.ts'
import { diagnose } from './diagnose.ts'

interface DataRoutesOptions {
  home: Pick<Home, 'path'>
  env: NodeJS.ProcessEnv
  store: Store
  /** Copies the whole database while it is in use. Undefined for a database server. */
  copyTo?: ((target: string) => Promise<void>) | undefined
}

export function dataRoutes(options: DataRoutesOptions): Route[] {
  const { store } = options
  const lock = createKeyedMutex()
  return implement(dataEndpoints, {
    'GET /ai/data': async () => {
      const home = options.home.path
      const { bavail, bsize } = await statfs(home)
      return {
        home,
        places: await runInWorker<HomeUsage[]>(new URL('./measure-home-worker.ts', import.meta.url), home),
        backups: await listBackups(home),
        free: bavail * bsize,
      }
    },
    'POST /ai/data/backup': () =>
      lock('backup', async () => ({ backup: await backUpHome(options.home.path, options.copyTo ?? noCopy()) })),
    'GET /ai/doctor': async ({ workspaceId }) => {
      const { path: folder } = await findWorkspace(store, workspaceId)
      return { findings: await Array.fromAsync(diagnose({ env: options.env, cwd: folder, home: options.home.path })) }
    },
  })
}

function noCopy(): never {
  const text = 'The chats are in a Postgres database. Back it up with scripts/backup.sh.'
  throw new NamedError('NotInHome', text, { status: 409 })
}

/**
 * Backs up everything that cannot be rebuilt to a new folder in `backups`. Copying that folder restores the home. The
 * backup appears complete or not at all.
 */
async function backUpHome(
  home: string,
  copyDatabase: (target: string) => Promise<void>,
  now = Date.now(),
): Promise<Backup> {
  await clearUnfinishedBackups(home)
  const target = path.join(home, 'backups', new Date(now).toISOString().replaceAll(':', '-'))
  const part = target + unfinishedSuffix
  try {
    await mkdir(path.join(part, 'blobs'), { recursive: true, mode: 0o700 })
    await copyDatabase(path.join(part, 'troupe.db'))
    for (const name of await namesIn(home)) if (!isRebuilt(name)) await copyFolder(home, name, part)
    await sync(path.join(part, 'troupe.db'))
    await rename(part, target)
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    throw error
  }
  return { path: target, createdAt: now }
}

/** Removes backups left unfinished by a killed process. No backup may be in progress. */
export async function clearUnfinishedBackups(home: string): Promise<void> {
  const folder = path.join(home, 'backups')
  const left = (await namesIn(folder)).filter((name) => name.endsWith(unfinishedSuffix))
  for (const name of left) await rm(path.join(folder, name), { recursive: true, force: true })
}

/** Returns backups, newest first. */
async function listBackups(home: string): Promise<Backup[]> {
  const folder = path.join(home, 'backups')
  const backups = (await namesIn(folder)).map((name) => ({
    path: path.join(folder, name),
    createdAt: backupTime(name),
  }))
  return backups
    .filter((backup): backup is Backup => Number.isFinite(backup.createdAt))
    .toSorted((one, other) => other.createdAt - one.createdAt)
}

const unfinishedSuffix = '.part'

function backupTime(name: string): number {
  const [day, time] = name.split('T')
  return Date.parse(`${day}T${time?.replaceAll('-', ':')}`)
}

/**
 * True for files a backup skips. In the home: process secrets and locks, browser data, incomplete uploads (including
 * hidden blobs), other backups, and the database, which is copied separately. In a session: exports from the database.
 */
function isRebuilt(relative: string): boolean {
  const [top = '', second = '', third = ''] = relative.split(path.sep)
  if (top.startsWith('troupe.db')) return true
  if (['backups', 'browser', 'imports', 'print', 'uploads', 'lock', 'owner.json', 'token'].includes(top)) return true
  if (top === 'blobs') return second.startsWith('.')
  return top === 'sessions' && ['session.json', 'messages.jsonl', 'agents'].includes(third)
}

/** Content-addressed files never change, so backups hard-link them to save space. */
function isImmutable(relative: string): boolean {
  return relative.startsWith(`blobs${path.sep}`) || relative.startsWith(path.join('undo', 'objects') + path.sep)
}

/** Copies a file or folder of the home. Follows a link at the top level but keeps nested links. */
async function copyFolder(home: string, name: string, to: string): Promise<void> {
  const place = path.join(home, name)
  const stats = await stat(place).catch(ignoreMissing)
  if (stats?.isFile()) await copyFile(place, path.join(to, name)).catch(ignoreMissing)
  if (stats?.isDirectory() !== true) return
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const relative = path.relative(home, file)
    if (isRebuilt(relative)) continue
    const target = path.join(to, relative)
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
    if (entry.isSymbolicLink()) await symlink(await readlink(file), target)
    if (entry.isFile()) await copyOne(file, target, isImmutable(relative)).catch(ignoreMissing)
  }
}

async function copyOne(file: string, target: string, linked: boolean): Promise<void> {
  // Some disks do not support hard links.
  if (linked) await link(file, target).catch(() => copyFile(file, target))
  else await copyFile(file, target)
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? []
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
