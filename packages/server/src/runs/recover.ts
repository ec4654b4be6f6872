import { readdirSync, readFileSync } from 'node:fs'
import { processMark, processStartTime, readResume, type RunRecord, type Session, type Store } from '@troupe/core'
import type { Frame } from '@troupe/protocol'
import { isServerFault } from '../util/storage-fault.ts'
import type { LogGap, RecoveredState } from './prepare-run.ts'

export interface UnfinishedRun extends RecoveredState {
  record: RunRecord
  session: Session
  /** True if no later message of the session has an unfinished run. */
  latest: boolean
}

/**
 * Returns unfinished runs of earlier processes, or of one session, oldest first. Kills their orphaned processes first.
 * For one session, throws if the database server fails.
 */
export async function readUnfinishedRuns(
  store: Store,
  onError: (message: string, record: Pick<RunRecord, 'id' | 'sessionId'>, error: unknown) => void,
  only?: string,
): Promise<UnfinishedRun[]> {
  const records =
    only === undefined
      ? await store.runs.unfinished()
      : (await store.runs.ofSession(only)).filter(({ endedAt }) => endedAt === null)
  const found: UnfinishedRun[] = []
  for (const record of records) {
    try {
      const session = await store.sessions.get(record.sessionId)
      if (session === undefined) continue
      const last = records.findLast(({ sessionId, agentId }) => sessionId === record.sessionId && agentId === null)
      const latest =
        last === record || (last?.userMessageId === record.userMessageId && isColumn(last) && isColumn(record))
      found.push({ record, session, latest, ...(await readRecoveredState(store, record)) })
    } catch (error) {
      if (only !== undefined && isServerFault(error)) throw error
      onError('a run could not be read', record, error)
    }
  }
  try {
    killOrphanProcesses(
      found.flatMap(({ record, resume: { processes, phase } }) =>
        // Only a call starts processes, and notes each of them. The search for others is slow.
        processes.length > 0 || phase === 'calls' ? { runId: record.id, processes } : [],
      ),
    )
  } catch (error) {
    onError('a process that was left behind could not be ended', records[0] as RunRecord, error)
  }
  return found
}

function isColumn({ request }: RunRecord): boolean {
  return request['column'] !== undefined
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
  /** Journaled leaders of process groups. */
  processes: readonly { pid: number; startTime: string }[]
}

/**
 * Kills processes left by a crash: journaled process groups whose leader still has the recorded start time, and all
 * processes marked with a call of these runs. The marks cover leaders that are gone and crashes before the journal
 * entry. Throws if a process cannot be killed.
 */
export function killOrphanProcesses(runs: readonly OrphanProcesses[]): void {
  for (const { pid, startTime } of runs.flatMap(({ processes }) => processes)) {
    if (startTime !== '' && processStartTime(pid) === startTime) killProcess(-pid)
  }
  if (runs.length === 0 || process.platform !== 'linux') return
  // A process may spawn another during the scan, so repeat until none remain.
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

/** Returns an empty string for foreign, exited and zombie processes. */
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
