import { readResume, type Frame, type RunRecord, type Session, type Store } from '@troupe/core'
import { killOrphanProcesses } from './end-processes.ts'
import type { LogGap, RecoveredState } from './run-parts.ts'

export interface UnfinishedRun extends RecoveredState {
  record: RunRecord
  session: Session
  /** Whether no later run of the session is unfinished too. */
  latest: boolean
}

/** What earlier processes left unfinished, oldest first. Ends the processes that they left behind before anything else. */
export async function readUnfinishedRuns(
  store: Store,
  onError: (message: string, record: Pick<RunRecord, 'id' | 'sessionId'>, error: unknown) => void,
): Promise<UnfinishedRun[]> {
  const records = await store.runs.unfinished()
  const found: UnfinishedRun[] = []
  for (const record of records) {
    try {
      const session = await store.sessions.get(record.sessionId)
      if (session === undefined) continue
      const latest =
        records.findLast(({ sessionId, agentId }) => sessionId === record.sessionId && agentId === null) === record
      found.push({ record, session, latest, ...(await readRecoveredState(store, record)) })
    } catch (error) {
      onError('a run could not be read', record, error)
    }
  }
  try {
    killOrphanProcesses(found.map(({ record, resume }) => ({ runId: record.id, processes: resume.processes })))
  } catch (error) {
    onError('a process that was left behind could not be ended', records[0] as RunRecord, error)
  }
  return found
}

async function readRecoveredState(store: Store, record: RunRecord): Promise<RecoveredState> {
  const frames = await store.frames.read(record.id)
  return {
    resume: readResume(frames.flatMap((frame) => frame.items)),
    seq: (frames.at(-1)?.seq ?? -1) + 1,
    lastNumber: await store.runs.lastNumber(record.sessionId),
    gaps: findGaps(record, frames),
  }
}

function findGaps(record: RunRecord, frames: readonly Frame[]): LogGap[] {
  return frames.flatMap((frame, i) => {
    const before = frames[i - 1]?.to ?? record.fromNumber
    return frame.from > before ? [{ after: before, to: frame.from }] : []
  })
}
