import { asksStream, type Db, statement, streamFile } from '../sql/context.ts'
import {
  agentTexts,
  type ExportLine,
  hasMessage,
  listStreams,
  readExportLines,
  sessionFile,
  type SessionFiles,
  sessionText,
} from './session-files.ts'

const linesPerBatch = 50

interface SessionWriter {
  /** Corrects all files, whatever their content. Returns the resulting marks, or undefined if the session is gone. */
  writeAll(sessionId: string): Promise<Map<string, ExportMark> | undefined>
  /** Writes a stream's lines beyond its mark. `fromSeq`: the line at that position is outdated. */
  writeLines(sessionId: string, stream: string, mark: ExportMark, fromSeq?: number): Promise<ExportMark>
  writeSession(sessionId: string): Promise<void>
  writeAgents(sessionId: string, agentId?: string): Promise<void>
}

/** `keep` is called before overwriting files newer than the database, as after a rollback. */
export function createSessionWriter(
  db: Db,
  files: SessionFiles,
  keep: (sessionId: string) => Promise<void>,
): SessionWriter {
  async function writeLines(
    sessionId: string,
    stream: string,
    from: ExportMark,
    fromSeq = Infinity,
  ): Promise<ExportMark> {
    const path = files.path(sessionId, streamFile(stream))
    const size = files.size(path)
    let mark = rewindMark(from, fromSeq)
    if (size === undefined || size < mark.size || mark.size === 0) mark = emptyMark

    let lines = await readExportLines(db, sessionId, stream, mark.seq, linesPerBatch)
    const writeRest = async (append: (text: string) => void) => {
      while (lines.length > 0) {
        append(lines.map((line) => line.text).join(''))
        mark = advanceMark(mark, lines)
        // Lines that arrive meanwhile are written with their own commit.
        lines =
          lines.length < linesPerBatch ? [] : await readExportLines(db, sessionId, stream, mark.seq, linesPerBatch)
      }
    }
    if (mark.size > 0) {
      await writeRest((text) => files.append(path, mark.size, text))
      // Nothing followed the removed line.
      if (fromSeq !== Infinity && (files.size(path) ?? 0) > mark.size) files.append(path, mark.size, '')
      return mark
    }
    if (lines.length > 0 || size !== undefined) await files.replace(path, writeRest)
    return mark
  }

  /** True if the last line the mark covers is at the recorded position. */
  async function holds(sessionId: string, stream: string, mark: ExportMark): Promise<boolean> {
    if (mark.seq === 0 || mark.lineStart === null) return false
    const path = files.path(sessionId, streamFile(stream))
    if ((files.size(path) ?? -1) < mark.size) return false
    const [line] = await readExportLines(db, sessionId, stream, mark.seq - 1, 1)
    return line?.seq === mark.seq && files.read(path, mark.lineStart, mark.size) === line.text
  }

  /**
   * True if a file ends with a message the database never had. A commit that removes or changes exported lines lowers
   * the mark. So if a mark still matches its last line, only new messages follow it.
   */
  async function hasUnknownEnd(sessionId: string, stored: Map<string, ExportMark>): Promise<boolean> {
    for (const [stream, mark] of stored) {
      const path = files.path(sessionId, streamFile(stream))
      const size = files.size(path) ?? 0
      if (stream === asksStream || mark.lineStart === null || size <= mark.size) continue
      const id = lineId(lastLine(files, path, size))
      if (id !== undefined && !(await hasMessage(db, sessionId, id))) return true
    }
    return false
  }

  async function writeIfOther(path: string, text: string): Promise<void> {
    if (files.readAll(path) !== text) await files.replace(path, (append) => append(text))
  }

  async function writeAgents(sessionId: string, agentId?: string): Promise<void> {
    for (const agent of await agentTexts(db, sessionId, agentId)) {
      await writeIfOther(files.path(sessionId, `agents/${agent.agentId}/${sessionFile}`), agent.text)
    }
  }

  return {
    writeLines,
    writeAgents,

    async writeAll(sessionId) {
      const text = await sessionText(db, sessionId)
      if (text === undefined) return undefined
      const stored = await readMarks(db, sessionId)
      const exported = files.readAll(files.path(sessionId, sessionFile))
      if (isNewer(exported, text) || (await hasUnknownEnd(sessionId, stored))) await keep(sessionId)
      const marks = new Map<string, ExportMark>()
      const streams = new Set([...(await listStreams(db, sessionId)), ...stored.keys()])
      for (const stream of streams) {
        const mark = stored.get(stream) ?? emptyMark
        const start = (await holds(sessionId, stream, mark)) ? mark : emptyMark
        marks.set(stream, await writeLines(sessionId, stream, start))
      }
      await writeAgents(sessionId)
      // A crash may have happened between an agent's deletion in the database and this point.
      for (const agentId of files.agentFolders(sessionId))
        if (!streams.has(agentId)) files.removeAgent(sessionId, agentId)
      await writeIfOther(files.path(sessionId, sessionFile), text)
      return marks
    },

    async writeSession(sessionId) {
      const text = await sessionText(db, sessionId)
      if (text !== undefined) await files.replace(files.path(sessionId, sessionFile), (append) => append(text))
    },
  }
}

/** True if `session.json` was written by a later commit than the database's last one. */
function isNewer(exported: string | undefined, current: string): boolean {
  if (exported === undefined) return false
  const [there, here] = [fileState(exported), fileState(current)]
  return there.updatedAt > here.updatedAt || (there.updatedAt === here.updatedAt && there.count > here.count)
}

function fileState(sessionJson: string): { updatedAt: number; count: number } {
  try {
    const { updatedAt, messageCount } = Object(JSON.parse(sessionJson)) as Record<string, unknown>
    return { updatedAt: Number(updatedAt) || 0, count: Number(messageCount) || 0 }
  } catch {
    return { updatedAt: 0, count: 0 }
  }
}

const maxLineBytes = 1 << 25

/** Returns the last complete line of a file, or an empty string if there is none or it is too long. */
function lastLine(files: SessionFiles, path: string, size: number): string {
  for (let length = 1 << 16; ; length *= 8) {
    const from = Math.max(0, size - length)
    const lines = files.read(path, from, size).split('\n')
    // After the last newline is a torn line or nothing. The first line may be incomplete.
    if (lines.length > 2 || from === 0) return lines.at(-2) ?? ''
    if (length > maxLineBytes) return ''
  }
}

function lineId(line: string): string | undefined {
  try {
    const { id } = Object(JSON.parse(line)) as { id?: unknown }
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

/**
 * A file is correct in its first `size` bytes, which contain everything up to `seq`. Its last line starts at
 * `lineStart`.
 */
export interface ExportMark {
  seq: number
  lineStart: number | null
  size: number
}

export const emptyMark: ExportMark = { seq: 0, lineStart: null, size: 0 }

function advanceMark(mark: ExportMark, lines: ExportLine[]): ExportMark {
  const last = lines.at(-1)!
  const size = lines.reduce((sum, line) => sum + Buffer.byteLength(line.text), mark.size)
  return { seq: last.seq, lineStart: size - Buffer.byteLength(last.text), size }
}

/** Returns the mark after the line at `seq` changed: drops only the last line, or everything for an older one. */
function rewindMark(mark: ExportMark, seq: number): ExportMark {
  if (mark.seq < seq) return mark
  if (mark.seq > seq || mark.lineStart === null) return emptyMark
  return { seq: seq - 1, lineStart: null, size: mark.lineStart }
}

async function readMarks(db: Db, sessionId: string): Promise<Map<string, ExportMark>> {
  const { rows } = await selectMarks(db, { sessionId })
  return new Map(rows.map((row) => [row.stream, { seq: row.seq, lineStart: row.line_start, size: row.size }]))
}

const selectMarks = statement((db, { sessionId }: { sessionId: string }) =>
  db.selectFrom('export_state').selectAll().where('session_id', '=', sessionId),
)

export async function storeMark(db: Db, sessionId: string, stream: string, mark: ExportMark): Promise<void> {
  const columns = { seq: mark.seq, line_start: mark.lineStart, size: mark.size }
  await db
    .insertInto('export_state')
    .values({ session_id: sessionId, stream, ...columns })
    .onConflict((conflict) => conflict.columns(['session_id', 'stream']).doUpdateSet(columns))
    .execute()
}

/** Lowers the stored mark in the commit that changes an exported line. */
export async function rewindStoredMark(db: Db, sessionId: string, stream: string, seq: number): Promise<void> {
  const stored = (await readMarks(db, sessionId)).get(stream)
  if (stored === undefined || stored.seq < seq) return
  await storeMark(db, sessionId, stream, rewindMark(stored, seq))
}
