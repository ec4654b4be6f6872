import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** One part of the home and how much it takes. */
export interface Place {
  name: 'database' | 'sessions' | 'blobs' | 'backups' | 'other'
  path: string
  files: number
  bytes: number
}

/**
 * What lies in a home, by what it is for. A file that goes away meanwhile is not counted; bytes that a backup shares
 * with the home, or with another backup, are counted once.
 */
export async function measureHome(home: string): Promise<Place[]> {
  const place = (name: Place['name'], file: string): Place => ({
    name,
    path: path.join(home, file),
    files: 0,
    bytes: 0,
  })
  const places: Record<Place['name'], Place> = {
    database: place('database', 'troupe.db'),
    sessions: place('sessions', 'sessions'),
    blobs: place('blobs', 'blobs'),
    backups: place('backups', 'backups'),
    other: place('other', ''),
  }
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
  const placed = files.map((file) => ({ file, name: nameOf(path.relative(home, file)) }))
  const counted = new Set<string>()
  // Backups come last: what they share is the home's.
  for (const { file, name } of placed.toSorted((one, other) => rank(one.name) - rank(other.name))) {
    const stats = await stat(file, { bigint: true }).catch(() => undefined)
    if (stats === undefined) continue
    const { [name]: found } = places
    found.files += 1
    const id = `${stats.dev} ${stats.ino}`
    if (stats.nlink > 1n && counted.has(id)) continue
    if (stats.nlink > 1n) counted.add(id)
    found.bytes += Number(stats.size)
  }
  return Object.values(places)
}

function rank(name: Place['name']): number {
  return name === 'backups' ? 1 : 0
}

function nameOf(relative: string): Place['name'] {
  const [top = ''] = relative.split(path.sep)
  if (/^troupe\.db(-wal|-shm)?$/.test(top)) return 'database'
  if (top.startsWith('troupe.db.backup-')) return 'backups'
  if (top === 'sessions' || top === 'blobs' || top === 'backups') return top
  return 'other'
}
