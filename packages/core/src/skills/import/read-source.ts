import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync, type Stats } from 'node:fs'
import path from 'node:path'
import { importLimits, refuseImport, type ArchiveEntry } from './archive-entry.ts'
import { readTar, unpackGzip } from './read-tar.ts'
import { readZip } from './read-zip.ts'

/** What is in a folder, a zip, a tar or a tar.gz. Nothing is written. */
export function readSource(source: string): { entries: ArchiveEntry[]; packedBytes?: number } {
  const stats = statSync(source, { throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`There is no ${source}.`)
  if (stats.isDirectory()) return { entries: readTree(source) }
  if (!stats.isFile()) throw new Error(`${source} is neither a folder nor an archive.`)
  if (stats.size > importLimits.archiveBytes)
    throw new Error(`${source} is larger than ${importLimits.archiveBytes / 1024 / 1024} MiB.`)
  const bytes = readFileSync(source)
  const packedBytes = bytes.length
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') return { entries: readZip(bytes), packedBytes }
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  return { entries: readTar(isGzip ? unpackGzip(bytes) : bytes), packedBytes }
}

/** A folder, without what git and npm keep there. */
function readTree(root: string): ArchiveEntry[] {
  const entries: ArchiveEntry[] = []
  const visit = (names: readonly string[]): void => {
    for (const name of readdirSync(path.join(root, ...names)).toSorted()) {
      if (name === '.git' || name === 'node_modules') continue
      const own = [...names, name]
      const file = path.join(root, ...own)
      const shown = own.join('/')
      const stats = lstatSync(file)
      if (entries.length >= importLimits.entries) refuseImport(root, `has more than ${importLimits.entries} entries`)
      const kind = sourceKind(stats)
      entries.push({
        name: shown,
        kind,
        size: kind === 'file' ? stats.size : 0,
        executable: kind === 'file' && (stats.mode & 0o111) !== 0,
        read: () => readFileSync(file),
        ...(kind === 'link' && { target: { path: readlinkSync(file) } }),
      })
      if (kind === 'folder' && own.length < importLimits.depth) visit(own)
    }
  }
  visit([])
  return entries
}

function sourceKind(stats: Stats): ArchiveEntry['kind'] {
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'folder'
  return stats.isFile() ? 'file' : 'other'
}
