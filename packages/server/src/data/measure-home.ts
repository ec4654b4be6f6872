import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** One part of the home and how much it takes. */
export interface Place {
  name: 'database' | 'sessions' | 'blobs' | 'backups' | 'other'
  path: string
  files: number
  bytes: number
}

/** What lies in a home, by what it is for. A file that goes away meanwhile is not counted. */
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
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const size = await stat(file).then(
      (stats) => stats.size,
      () => undefined,
    )
    if (size === undefined) continue
    const { [nameOf(path.relative(home, file))]: found } = places
    found.files += 1
    found.bytes += size
  }
  return Object.values(places)
}

function nameOf(relative: string): Place['name'] {
  const [top = ''] = relative.split(path.sep)
  if (/^troupe\.db(-wal|-shm)?$/.test(top)) return 'database'
  if (top.startsWith('troupe.db.backup-')) return 'backups'
  if (top === 'sessions' || top === 'blobs' || top === 'backups') return top
  return 'other'
}
