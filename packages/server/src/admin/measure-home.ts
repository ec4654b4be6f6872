import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import type { HomeUsage } from '@troupe/protocol'

/**
 * Measures the home by purpose. Skips files that disappear meanwhile, and counts bytes shared by backups once. Reads
 * every file synchronously and blocks the event loop.
 */
export function measureHome(home: string): HomeUsage[] {
  const place = (name: HomeUsage['name'], file: string): HomeUsage => ({
    name,
    path: path.join(home, file),
    files: 0,
    bytes: 0,
  })
  const places: Record<HomeUsage['name'], HomeUsage> = {
    database: place('database', 'troupe.db'),
    sessions: place('sessions', 'sessions'),
    blobs: place('blobs', 'blobs'),
    backups: place('backups', 'backups'),
    other: place('other', ''),
  }
  const counted = new Set<string>()
  // Backups come last, so shared bytes count toward the home.
  const tops = namesIn(home).toSorted((one, other) => rank(one.name) - rank(other.name))
  for (const top of tops) {
    const found = places[usageName(top.name)]
    const waiting = [{ file: path.join(home, top.name), isFolder: top.isDirectory(), isFile: top.isFile() }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { file, isFolder, isFile } = next
      if (isFolder)
        for (const inside of namesIn(file))
          waiting.push({
            file: path.join(file, inside.name),
            isFolder: inside.isDirectory(),
            isFile: inside.isFile(),
          })
      if (isFile) count(file, found)
    }
  }
  return Object.values(places)

  function count(file: string, found: HomeUsage): void {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return
    found.files += 1
    const id = `${stats.dev} ${stats.ino}`
    if (stats.nlink > 1 && counted.has(id)) return
    if (stats.nlink > 1) counted.add(id)
    found.bytes += stats.size
  }
}

function namesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function rank(top: string): number {
  return usageName(top) === 'backups' ? 1 : 0
}

function usageName(top: string): HomeUsage['name'] {
  if (/^troupe\.db(-wal|-shm)?$/.test(top)) return 'database'
  if (top.startsWith('troupe.db.backup-')) return 'backups'
  if (top === 'sessions' || top === 'blobs' || top === 'backups') return top
  return 'other'
}
