import { readdirSync, readFileSync } from 'node:fs'
import { processMark, processStartTime, readResume, type RunRecord, type Session, type Store } from '@troupe/core'
import type { Frame } from '@troupe/protocol'
import type { LogGap, RecoveredState } from './prepare-run.ts'

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

interface OrphanProcesses {
  runId: string
  /** Leaders of process groups, as they were journalled. */
  processes: readonly { pid: number; startTime: string }[]
}

/**
 * Ends what a crashed process left behind: the journalled process groups, if their leader is still the one that began
 * at that time, and every process that carries the mark of a call of these runs, so that neither a leader that is gone
 * nor a crash between a start and its journal entry leaves anything. Throws when something may not be ended.
 */
export function killOrphanProcesses(runs: readonly OrphanProcesses[]): void {
  for (const { pid, startTime } of runs.flatMap(({ processes }) => processes)) {
    if (startTime !== '' && processStartTime(pid) === startTime) killProcess(-pid)
  }
  if (runs.length === 0 || process.platform !== 'linux') return
  // What is ended may have started another while it was looked for.
  for (let found = markedProcesses(runs); found.length > 0; found = markedProcesses(runs))
    for (const pid of found) killProcess(pid)
}

function markedProcesses(runs: readonly OrphanProcesses[]): number[] {
  const marks = runs.map(({ runId }) =>
    Object.entries(processMark(runId, ''))
      .map(([name, value]) => `\0${name}=${value}`)
      .join(''),
  )
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid) return []
    const environment = `\0${readEnvironment(pid)}`
    return marks.some((mark) => environment.includes(mark)) ? [pid] : []
  })
}

/** Empty for processes of others, for those that are gone, and for zombies. */
function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
