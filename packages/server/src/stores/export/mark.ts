import type { Db } from '../sql/context.ts'
import type { ExportLine } from './lines.ts'

/** A file is right in its first `size` bytes, which hold everything up to `seq`; its last line begins at `lineStart`. */
export interface ExportMark {
  seq: number
  lineStart: number | null
  size: number
}

export const emptyMark: ExportMark = { seq: 0, lineStart: null, size: 0 }

/** The mark after these lines were written behind it. */
export function advanceMark(mark: ExportMark, lines: ExportLine[]): ExportMark {
  const last = lines.at(-1)!
  const size = lines.reduce((sum, line) => sum + Buffer.byteLength(line.text), mark.size)
  return { seq: last.seq, lineStart: size - Buffer.byteLength(last.text), size }
}

/** The mark after a change of the line at `seq`: the last line can be taken back, an older one takes all. */
export function rewindMark(mark: ExportMark, seq: number): ExportMark {
  if (mark.seq < seq) return mark
  if (mark.seq > seq || mark.lineStart === null) return emptyMark
  return { seq: seq - 1, lineStart: null, size: mark.lineStart }
}

export async function readMarks(db: Db, sessionId: string): Promise<Map<string, ExportMark>> {
  const rows = await db.selectFrom('export_state').selectAll().where('session_id', '=', sessionId).execute()
  return new Map(rows.map((row) => [row.stream, { seq: row.seq, lineStart: row.line_start, size: row.size }]))
}

export async function storeMark(db: Db, sessionId: string, stream: string, mark: ExportMark): Promise<void> {
  const columns = { seq: mark.seq, line_start: mark.lineStart, size: mark.size }
  await db
    .insertInto('export_state')
    .values({ session_id: sessionId, stream, ...columns })
    .onConflict((conflict) => conflict.columns(['session_id', 'stream']).doUpdateSet(columns))
    .execute()
}

/** Says, in the commit that changes a line already written, how far the file stays right. */
export async function rewindStoredMark(db: Db, sessionId: string, stream: string, seq: number): Promise<void> {
  const stored = (await readMarks(db, sessionId)).get(stream)
  if (stored === undefined || stored.seq < seq) return
  await storeMark(db, sessionId, stream, rewindMark(stored, seq))
}
