import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { errorInfo, type Blobs } from '@troupe/core'
import { findFolder } from '../stores/find-folder.ts'
import type { SqlStore } from '../stores/sql-store.ts'
import { cleanTitle } from '../stores/sql/title.ts'
import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import { importFolders, sessionFiles } from './import-folders.ts'
import type { ImportFiles, Importer } from './importer.ts'
import { librechat } from './librechat.ts'
import { record, text } from './loose.ts'
import { openWebUi } from './open-webui.ts'
import { readEntries } from './read-entries.ts'
import { troupe } from './troupe.ts'
import { openZipFile, type ZipEntry } from './zip-file.ts'

/** In the order in which they are tried. */
const importers: Importer[] = [troupe, chatgpt, claude, openWebUi, librechat]

/** One conversation at most; more of it at once is not held. */
const entryBytes = 256 * 1024 * 1024
/** All JSON of one zip. */
const unpackedBytes = 4 * 1024 * 1024 * 1024
const attachmentBytes = 32 * 1024 * 1024

export interface FileImportReport {
  sessions: ImportedEntry[]
  /** What could not be taken, one by one; the rest was. */
  problems: { where: string; message: string }[]
}

export interface ImportedEntry {
  sessionId: string
  title: string
  /** Which program it came from. */
  source: string
  /** `known`: all of it was there already. `grown`: messages were added to a session that was there. */
  state: 'added' | 'grown' | 'known'
  /** How many messages were added. */
  added: number
  /** Messages that are there and say something else; they stay as they are. */
  conflicts: number
}

export interface FileImportOptions {
  store: SqlStore
  blobs: Blobs
  workspaceId: string
  onProgress?: (progress: { bytes: number; of: number; sessions: number }) => void
  signal?: AbortSignal
}

/**
 * Imports the conversations of a file that Troupe, ChatGPT, Claude, LibreChat or Open WebUI wrote, a zip or JSON. Each
 * session comes whole or not at all, under an id that follows from its own: what was imported before is found again.
 * Throws where the file as a whole cannot be read.
 */
export async function importFile(path: string, options: FileImportOptions): Promise<FileImportReport> {
  const report: FileImportReport = { sessions: [], problems: [] }
  const head = await firstBytes(path)
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004') await importZip(path, options, report)
  else {
    const file = createReadStream(path, { highWaterMark: 1 << 18 })
    const files: Omit<ImportFiles, 'tell'> = { blobs: options.blobs, find: () => Promise.resolve(undefined) }
    const found = await importEntries(file, { name: '', size: head.size, files }, options, report)
    if (!found) throw new Error(unknownFile)
  }
  return report
}

const unknownFile =
  'no conversation was found in it. Known are exports of Troupe, ChatGPT, Claude, LibreChat and Open WebUI, as zip or JSON'

async function importZip(path: string, options: FileImportOptions, report: FileImportReport): Promise<void> {
  const zip = await openZipFile(path)
  try {
    const folders = sessionFiles(zip.entries)
    if (folders.size > 0) {
      if ([...folders.values()].reduce((sum, { size }) => sum + size, 0) > unpackedBytes) throw tooMuch()
      for (const { read } of folders.values()) for await (const _ of read()) options.signal?.throwIfAborted()
      const { sessions, problems } = await importFolders(folders, options.store, options.workspaceId)
      report.sessions.push(...sessions)
      report.problems.push(...problems)
      return
    }
    const jsons = zip.entries.filter(({ name }) => /\.json$/i.test(name) && !/(^|\/)__MACOSX\//.test(name))
    if (jsons.reduce((sum, { size }) => sum + size, 0) > unpackedBytes) throw tooMuch()
    const files: Omit<ImportFiles, 'tell'> = { blobs: options.blobs, find: (name) => findFile(zip.entries, name) }
    const of = jsons.reduce((sum, { size }) => sum + size, 0)
    let before = 0
    let found = false
    for (const { name, size, read } of jsons) {
      const part = { name, size: of, before, files }
      try {
        // What is not what it should be is known at its end: nothing of it may be imported until then.
        for await (const _ of read()) options.signal?.throwIfAborted()
        found = (await importEntries(read(), part, options, report)) || found
      } catch (error) {
        options.signal?.throwIfAborted()
        report.problems.push({ where: name, message: errorInfo(error).message })
      }
      before += size
    }
    if (!found) throw new Error(report.problems[0]?.message ?? unknownFile)
  } finally {
    await zip.close()
  }
}

function tooMuch(): Error {
  return new Error(`the JSON in it is larger than ${unpackedBytes / 1024 ** 3} GiB`)
}

interface Source {
  name: string
  /** Of everything that is read. */
  size: number
  /** Of what was read before. */
  before?: number
  files: Omit<ImportFiles, 'tell'>
}

/** Whether any entry was a conversation. Where none was, the file is something else and its entries are no problems. */
async function importEntries(
  chunks: AsyncIterable<Uint8Array>,
  source: Source,
  options: FileImportOptions,
  report: FileImportReport,
): Promise<boolean> {
  const { onProgress, signal } = options
  const problems: FileImportReport['problems'] = []
  let bytes = source.before ?? 0
  let found = false
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      signal?.throwIfAborted()
      bytes += chunk.length
      yield chunk
      onProgress?.({ bytes, of: source.size, sessions: report.sessions.length })
    }
  }
  for await (const entry of readEntries(counted(), entryBytes)) {
    signal?.throwIfAborted()
    const where = `${source.name === '' ? '' : `${source.name}, `}entry ${entry.index}`
    if ('problem' in entry) {
      problems.push({ where, message: entry.problem })
      continue
    }
    const value = parse(entry.text)
    const importer = importers.find(({ accepts }) => accepts(value))
    if (importer === undefined) {
      problems.push({
        where,
        message: value === undefined ? 'it is not JSON' : 'it is no conversation that is known here',
      })
      continue
    }
    found = true
    const called = `${where}${titleOf(value)}`
    const tell = (message: string): void => void problems.push({ where: called, message })
    try {
      const imported = await importOne(importer, value, { ...source.files, tell }, options)
      // Some exports have each conversation twice, in one file and in a file of its own.
      const isAgain =
        imported.state === 'known' && report.sessions.some(({ sessionId }) => sessionId === imported.sessionId)
      if (!isAgain) report.sessions.push(imported)
    } catch (error) {
      tell(`not taken: ${errorInfo(error).message}`)
    }
    // Others have their turn.
    await setImmediate()
  }
  if (found) report.problems.push(...problems)
  return found
}

async function importOne(
  importer: Importer,
  value: unknown,
  files: ImportFiles,
  { store, workspaceId }: FileImportOptions,
): Promise<ImportedEntry> {
  const { session, ...rest } = await importer.read(value, files)
  if (rest.messages.length === 0 && importer !== troupe) throw new Error('it holds no messages')
  const { folder, ...fields } = session
  const known = await store.sessions.get(session.id)
  const restored = await store.restore({
    session: {
      ...fields,
      workspaceId,
      projectId: null,
      folderId: known === undefined ? await findFolder(store, workspaceId, folder) : known.folderId,
    },
    ...rest,
  })
  if (known !== undefined && known.workspaceId !== workspaceId)
    throw new Error('it is there already, in another workspace')
  return {
    sessionId: session.id,
    title: session.title,
    source: importer.name,
    state: restored.created ? 'added' : restored.added > 0 ? 'grown' : 'known',
    added: restored.added,
    conflicts: restored.conflicts.filter(({ what }) => what !== 'session').length,
  }
}

/** The entry whose own name begins so. Names are ids of files, long enough to mean one. */
async function findFile(entries: ZipEntry[], name: string): Promise<{ bytes: Uint8Array; name: string } | undefined> {
  if (name.length < 4) return undefined
  const own = (entry: ZipEntry): string => entry.name.split('/').at(-1) ?? ''
  const found = entries.find((entry) => own(entry).startsWith(name) && entry.size <= attachmentBytes)
  if (found === undefined) return undefined
  const chunks: Uint8Array[] = []
  for await (const chunk of found.read()) chunks.push(chunk)
  return { bytes: Buffer.concat(chunks), name: own(found) }
}

async function firstBytes(path: string): Promise<Buffer & { size: number }> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return Object.assign(buffer.subarray(0, bytesRead), { size: (await file.stat()).size })
  } finally {
    await file.close()
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

function titleOf(value: unknown): string {
  const { title, name, session } = record(value)
  const called = text(title) || text(name) || text(record(session)['title'])
  return called === '' ? '' : ` (${cleanTitle(called).slice(0, 80)})`
}
