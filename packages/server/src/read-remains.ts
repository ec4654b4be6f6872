import { readResume, type Frame, type Resume, type RunRecord, type Session, type Store } from '@troupe/core'
import { endProcesses } from './end-processes.ts'
import type { Gap, Remains } from './run-parts.ts'

export interface UnfinishedRun extends Remains {
  record: RunRecord
  session: Session
  /** Whether no later run of the session is unfinished too. */
  latest: boolean
}

/** What earlier processes left unfinished, oldest first. Ends the processes that they left behind before anything else. */
export async function readRemains(
  store: Store,
  onError: (record: RunRecord, error: unknown) => void,
): Promise<UnfinishedRun[]> {
  const records = await store.runs.unfinished()
  const found: UnfinishedRun[] = []
  for (const record of records) {
    try {
      const session = await store.sessions.get(record.sessionId)
      if (session === undefined) continue
      const frames = await store.frames.read(record.id)
      const resume = readResume(frames.flatMap((frame) => frame.items))
      endLeftProcesses(record, resume)
      found.push({
        record,
        session,
        latest: records.findLast(({ sessionId }) => sessionId === record.sessionId) === record,
        resume,
        seq: (frames.at(-1)?.seq ?? -1) + 1,
        lastNumber: await store.runs.lastNumber(record.sessionId),
        gaps: gapsOf(record, frames),
      })
    } catch (error) {
      onError(record, error)
    }
  }
  return found

  function endLeftProcesses(record: RunRecord, { processes }: Resume): void {
    try {
      endProcesses(record.id, processes)
    } catch (error) {
      onError(record, error)
    }
  }
}

function gapsOf(record: RunRecord, frames: readonly Frame[]): Gap[] {
  return frames.flatMap((frame, i) => {
    const before = frames[i - 1]?.to ?? record.fromNumber
    return frame.from > before ? [{ after: before, to: frame.from }] : []
  })
}
