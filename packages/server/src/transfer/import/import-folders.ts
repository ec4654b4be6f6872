import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Blobs } from '@troupe/core'
import type { ZipEntry } from '@troupe/documents/zip'
import type { ImportProgress, FileImportReport } from '@troupe/protocol'
import { importSessions } from '../../stores/import-sessions.ts'
import type { SqlStore } from '../../stores/sql/sql-store.ts'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import path from 'node:path'

export interface FileImportOptions {
  store: SqlStore
  blobs: Blobs
  /** The person who imports. */
  ownerId?: string | null
  /** Adds the blobs of an imported chat to it. */
  attach?(sessionId: string, hashes: readonly string[]): Promise<void>
  workspaceId: string
  onProgress?: (progress: ImportProgress) => void
  signal?: AbortSignal
}

const id = '[A-Za-z0-9_-]{1,64}'

/** Files of an exported session, at any depth in the zip. Nothing else is unpacked. */
const sessionFilePattern = new RegExp(
  `(?:^|/)(${id}/(?:session\\.json|(?:agents/${id}/)?(?:messages|asks)\\.jsonl|agents/${id}/session\\.json))$`,
)

/** Returns the files of session folders in a zip, by path relative to the sessions folder. */
export async function sessionFiles(entries: ZipEntry[]): Promise<Map<string, ZipEntry>> {
  const found = new Map<string, ZipEntry>()
  for (const entry of entries) {
    await yieldToEventLoop()
    const inside = sessionFilePattern.exec(entry.name)?.[1]
    if (inside !== undefined && !found.has(inside)) found.set(inside, entry)
  }
  const isFolder = [...found.keys()].some((name) => /^[^/]+\/messages\.jsonl$/.test(name))
  return isFolder ? found : new Map<string, ZipEntry>()
}

/** Imports zipped folders of `sessions/`. Unpacks them to a separate folder first. */
export async function importFolders(
  files: Map<string, ZipEntry>,
  { store, workspaceId, signal }: Pick<FileImportOptions, 'store' | 'workspaceId' | 'signal'>,
): Promise<FileImportReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-import-'))
  try {
    for (const [name, entry] of files) {
      const file = path.join(folder, name)
      await mkdir(path.dirname(file), { recursive: true })
      await pipeline(Readable.from(entry.read()), createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal })
    }
    const { sessions, problems } = await importSessions(store, folder, { workspaceId, closesAsks: true, signal })
    const report: FileImportReport = {
      sessions: [],
      problems: problems.map(({ file, line, message }) => ({
        where: line === undefined ? file : `${file}, line ${line}`,
        message,
      })),
    }
    for (const { sessionId, created, added, conflicts } of sessions) {
      const session = await store.sessions.get(sessionId)
      if (session?.workspaceId !== workspaceId) {
        report.problems.push({ where: sessionId, message: 'not imported: it already exists in another workspace' })
        continue
      }
      report.sessions.push({
        sessionId,
        title: session.title,
        source: 'Troupe',
        state: created ? 'added' : added > 0 ? 'grown' : 'known',
        added,
        conflicts: conflicts.filter(({ what }) => what !== 'session').length,
      })
    }
    return report
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
