import { copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'

export interface Backup {
  path: string
  createdAt: number
}

/**
 * A copy of everything that cannot be made anew: the database, the blobs and the settings, in a folder of its own below
 * `backups`. It is there whole or not at all. Blobs never change, so they are linked and take no room twice.
 */
export async function backUpHome(
  home: string,
  copyDatabase: (target: string) => Promise<void>,
  now = Date.now(),
): Promise<Backup> {
  const target = path.join(home, 'backups', new Date(now).toISOString().replaceAll(':', '-'))
  const part = `${target}.part`
  try {
    await mkdir(path.join(part, 'blobs'), { recursive: true, mode: 0o700 })
    await copyDatabase(path.join(part, 'troupe.db'))
    await copyBlobs(path.join(home, 'blobs'), path.join(part, 'blobs'))
    await copyFile(path.join(home, 'config.json'), path.join(part, 'config.json')).catch(whereMissing)
    await sync(path.join(part, 'troupe.db'))
    await rename(part, target)
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    throw error
  }
  return { path: target, createdAt: now }
}

/** The newest first. */
export async function listBackups(home: string): Promise<Backup[]> {
  const folder = path.join(home, 'backups')
  const names = await readdir(folder).catch((error: unknown) => {
    whereMissing(error)
    return []
  })
  const backups = names.map((name) => ({ path: path.join(folder, name), createdAt: momentOf(name) }))
  return backups
    .filter((backup): backup is Backup => Number.isFinite(backup.createdAt))
    .toSorted((one, other) => other.createdAt - one.createdAt)
}

function momentOf(name: string): number {
  const [day, time] = name.split('T')
  return Date.parse(`${day}T${time?.replaceAll('-', ':')}`)
}

async function copyBlobs(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch((error: unknown) => {
    whereMissing(error)
    return []
  })
  for (const name of names.filter((one) => !one.startsWith('.'))) {
    const [source, target] = [path.join(from, name), path.join(to, name)]
    // Not every disk knows links.
    await link(source, target).catch(() => copyFile(source, target))
  }
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function whereMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
