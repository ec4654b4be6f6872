import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Blobs } from '@troupe/core'
import { openZipFile, type ZipEntry } from '@troupe/documents/zip'
import { errorInfo, type FileImportReport } from '@troupe/protocol'
import { findFolder } from '../../stores/import-sessions.ts'
import { cleanTitle } from '../../stores/sql/message-text.ts'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import { JsonProblem, parseJson } from '../../util/json.ts'
import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import type { Importer, ImportFiles } from './importer.ts'
import { librechat } from './librechat.ts'
import { record, text } from './message-parts.ts'
import { openWebUi } from './open-webui.ts'
import { readEntries } from './read-entries.ts'
import { troupe } from './troupe.ts'
import { sessionFiles, importFolders, type FileImportOptions } from './import-folders.ts'

/** In matching order. */
const importers: Importer[] = [troupe, chatgpt, claude, openWebUi, librechat]

/** Maximum bytes of one chat, and thus held at once. */
const entryBytes = 256 * 1024 * 1024
/** Maximum bytes of all JSON in one zip. */
const unpackedBytes = 4 * 1024 * 1024 * 1024
const attachmentBytes = 32 * 1024 * 1024
/** Smaller entries are buffered and imported in batches, since one commit each would be slow. */
const maxBufferedBytes = 1024 * 1024
const entriesPerBatch = 20
const maxProblems = 1000
const limits = { depth: 1_000_000, values: 10_000_000 }

type ImportedEntry = FileImportReport['sessions'][number]

/**
 * Imports chats from a zip or JSON file by Troupe, ChatGPT, Claude, LibreChat or Open WebUI. Each session is imported
 * completely or not at all. Ids derive from the original ones, so repeated imports are recognized. Throws if the file
 * as a whole cannot be read.
 */
export async function importFile(path: string, options: FileImportOptions): Promise<FileImportReport> {
  const report: FileImportReport = { sessions: [], problems: [] }
  const head = await firstBytes(path)
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004') await importZip(path, options, report)
  else {
    const file = createReadStream(path, { highWaterMark: 1 << 18 })
    const find = (): Promise<undefined> => Promise.resolve(undefined)
    const found = await importEntries(file, { name: '', size: head.size, find }, options, report)
    if (!found) throw new Error(unknownFile)
  }
  return report
}

const unknownFile =
  'no chats found in it. Supported: exports from Troupe, ChatGPT, Claude, LibreChat and Open WebUI, as zip or JSON'

async function importZip(path: string, options: FileImportOptions, report: FileImportReport): Promise<void> {
  const zip = await openZipFile(path)
  try {
    const folders = await sessionFiles(zip.entries)
    if (folders.size > 0) {
      if ([...folders.values()].reduce((sum, { size }) => sum + size, 0) > unpackedBytes) throw tooMuch()
      const { sessions, problems } = await importFolders(folders, options)
      report.sessions.push(...sessions)
      report.problems.push(...problems)
      return
    }
    const jsons = zip.entries.filter(({ name }) => /\.json$/i.test(name) && !/(^|\/)__MACOSX\//.test(name))
    if (jsons.reduce((sum, { size }) => sum + size, 0) > unpackedBytes) throw tooMuch()
    const find = createFind(zip.entries)
    const of = jsons.reduce((sum, { size }) => sum + size, 0)
    let before = 0
    let found = false
    for (const { name, size, read } of jsons) {
      const part = { name, size: of, before, find }
      try {
        // Corruption is detected only at the end of an entry, so read it all before importing.
        const bytes: Uint8Array[] = []
        for await (const chunk of read()) {
          options.signal?.throwIfAborted()
          if (size <= maxBufferedBytes) bytes.push(chunk)
        }
        found = (await importEntries(size <= maxBufferedBytes ? bytes : read(), part, options, report)) || found
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
  /** Total bytes to read, for progress. */
  size: number
  /** Bytes read before this part. */
  before?: number
  find: ImportFiles['find']
}

/**
 * Returns true if any entry was a chat. Otherwise the file is something else and its entries are not reported as
 * problems.
 */
async function importEntries(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  source: Source,
  options: FileImportOptions,
  report: FileImportReport,
): Promise<boolean> {
  const { onProgress, signal } = options
  const problems: FileImportReport['problems'] = []
  const ids = new Set(report.sessions.map(({ sessionId }) => sessionId))
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
  const breatheOn = async (): Promise<void> => {
    signal?.throwIfAborted()
    await yieldToEventLoop()
  }
  const tellIn = (where: string) => (message: string) => {
    if (problems.length < maxProblems) problems.push({ where, message })
  }
  /** Concurrent imports, reported in file order. */
  let together: Promise<ImportedEntry | undefined>[] = []
  let size = 0
  const settle = async (): Promise<void> => {
    for (const imported of await Promise.all(together)) {
      // Some exports contain each chat twice: in one combined file and in its own file.
      if (imported === undefined || (imported.state === 'known' && ids.has(imported.sessionId))) continue
      ids.add(imported.sessionId)
      report.sessions.push(imported)
    }
    together = []
    size = 0
    signal?.throwIfAborted()
  }
  try {
    for await (const entry of readEntries(counted(), entryBytes, limits.values)) {
      await breatheOn()
      const where = `${source.name === '' ? '' : `${source.name}, `}entry ${entry.index}`
      if ('problem' in entry) {
        tellIn(where)(entry.problem)
        continue
      }
      const value = await parse(entry.bytes)
      const importer = importers.find(({ accepts }) => accepts(value))
      if (importer === undefined) {
        tellIn(where)(value === undefined ? 'it is not JSON' : 'it is not a supported chat format')
        continue
      }
      found = true
      const tell = tellIn(`${where}${entryTitle(value)}`)
      const files = { blobs: options.blobs, find: source.find, breathe: breatheOn, report: tell }
      together.push(
        importOne(importer, value, files, options).catch((error: unknown) => {
          if (signal?.aborted !== true) tell(`not imported: ${errorInfo(error).message}`)
          return undefined
        }),
      )
      size += entry.bytes.length
      if (together.length >= entriesPerBatch || size > maxBufferedBytes) await settle()
    }
  } finally {
    await settle()
  }
  if (found) report.problems.push(...problems)
  return found
}

async function importOne(
  importer: Importer,
  value: unknown,
  files: ImportFiles,
  { store, workspaceId, ownerId, attach, signal }: FileImportOptions,
): Promise<ImportedEntry> {
  const stored = new Set<string>()
  const put: Blobs['put'] = async (bytes, mediaType) => {
    const blob = await files.blobs.put(bytes, mediaType)
    stored.add(blob.sha256)
    return blob
  }
  const { session, ...rest } = await importer.read(value, { ...files, blobs: { ...files.blobs, put } })
  if (rest.messages.length === 0 && importer !== troupe) throw new Error('it has no messages')
  const { folder, ...fields } = session
  const known = await store.sessions.get(session.id)
  const folderId = known === undefined ? await findFolder(store, workspaceId, folder) : known.folderId
  const restored = await store.restore(
    {
      session: { ...fields, workspaceId, projectId: null, folderId, ...(ownerId != null && { ownerId }) },
      ...rest,
    },
    { signal },
  )
  if (known !== undefined && known.workspaceId !== workspaceId)
    throw new Error('it already exists in another workspace')
  if (known !== undefined && ownerId != null && known.ownerId !== ownerId) throw new Error('its id is taken')
  await attach?.(session.id, [...stored])
  return {
    sessionId: session.id,
    title: session.title,
    source: importer.name,
    state: restored.created ? 'added' : restored.added > 0 ? 'grown' : 'known',
    added: restored.added,
    conflicts: restored.conflicts.filter(({ what }) => what !== 'session').length,
  }
}

/** Returns the entry whose base name starts with this. Names are file ids, long enough to be unique. */
function createFind(entries: ZipEntry[]): ImportFiles['find'] {
  let named: { entry: ZipEntry; own: string }[] | undefined
  return async (name) => {
    if (name.length < 4) return undefined
    named ??= sorted()
    for (let at = firstAtLeast(name, named); named[at]?.own.startsWith(name) === true; at++) {
      const { entry, own } = named[at]!
      if (entry.size > attachmentBytes) continue
      const chunks: Uint8Array[] = []
      for await (const chunk of entry.read()) chunks.push(chunk)
      return { bytes: Buffer.concat(chunks), name: own }
    }
    return undefined
  }

  /** Most imports have no attachments, so they need no order. */
  function sorted(): { entry: ZipEntry; own: string }[] {
    const all = entries.map((entry) => ({ entry, own: entry.name.slice(entry.name.lastIndexOf('/') + 1) }))
    return all.sort((a, b) => (a.own < b.own ? -1 : a.own > b.own ? 1 : 0))
  }

  function firstAtLeast(name: string, all: readonly { own: string }[]): number {
    let [from, to] = [0, all.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (all[middle]!.own < name) from = middle + 1
      else to = middle
    }
    return from
  }
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

async function parse(bytes: Buffer): Promise<unknown> {
  try {
    return await parseJson(bytes, limits)
  } catch (error) {
    if (error instanceof JsonProblem) return undefined
    throw error
  }
}

function entryTitle(value: unknown): string {
  const { title, name, session } = record(value)
  const called = text(title) || text(name) || text(record(session)['title'])
  return called === '' ? '' : ` (${cleanTitle(called).slice(0, 80)})`
}
