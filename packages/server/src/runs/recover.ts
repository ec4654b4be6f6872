import { readdirSync, readFileSync } from 'node:fs'
import { processMark, processStartTime, readResume, type RunRecord, type Session, type Store } from '@troupe/core'
import { errorInfo, type Frame, NamedError } from '@troupe/protocol'
import { isServerFault } from '../util/storage-fault.ts'
import { storeAnswer } from './journal.ts'
import { type LogGap, prepareRun, type RecoveredState, runRequestOf } from './prepare-run.ts'
import { isElsewhere, isTemporary } from './run-errors.ts'
import type { RunServices } from './run-services.ts'
import type { StandaloneAgents } from './standalone-agents.ts'
import type { OpenRun, RunToBegin } from './run-types.ts'

interface RecoveryHost {
  open(given: RunToBegin): OpenRun
  standalone: Pick<StandaloneAgents, 'begin' | 'close'>
  isLive(record: RunRecord): boolean
  hasRuns(sessionId: string): boolean
  /** The user had continued with this one of several answers. */
  onPicked(messageId: string): void
  warn(message: string, run: Pick<RunRecord, 'id' | 'sessionId'>, error: unknown): void
}

/** Continues or closes the runs that earlier processes left unfinished. */
export function createRecovery(services: RunServices, host: RecoveryHost) {
  const { store } = services
  const { standalone, warn } = host
  /** Unfinished runs of sub-agents, until their parent run resumes them. */
  const orphans = new Map<string, UnfinishedRun>()
  return { recover, claimRecovered, forget, fail, interrupt }

  /** See `RunManager.recover`. */
  async function recover(only?: string): Promise<void> {
    // If this process had the session before, frames of its runs may still be on their way.
    await services.journal.idle()
    const found = (await readUnfinishedRuns(store, warn, only)).filter(({ record }) => !host.isLive(record))
    for (const left of found) if (left.record.agentId !== null) orphans.set(left.record.id, left)
    for (const { record, session, latest, ...left } of found) {
      if (record.agentId !== null) continue
      await recoverRun(record, session, left, latest).catch((error: unknown) => {
        // Another try may succeed, on this node or another. Until then the run waits.
        if (services.turns !== undefined && record.status === 'waiting' && isTemporary(error)) throw error
        return giveUp(record, error)
      })
    }
    for (const { record, session, ...left } of found) {
      if (record.agentId === null || host.hasRuns(record.sessionId) || !orphans.delete(record.id)) continue
      const agent = await store.agents.get(session.id, record.agentId)
      const continues = runRequestOf(record).alone === true && services.recovery() === 'continue'
      const settled =
        agent !== undefined && continues
          ? standalone.begin(record, session, agent, left)
          : standalone.close(record, session, left)
      await settled.catch((error: unknown) => giveUp(record, error))
    }
  }

  async function recoverRun(record: RunRecord, session: Session, left: RecoveredState, latest: boolean): Promise<void> {
    const request = runRequestOf(record)
    const parts = await prepareRun(services, session, request, record, left)
    if (request.column !== undefined) {
      const question = await store.messages.get({ sessionId: session.id }, record.userMessageId)
      if (question?.metadata?.comparison?.picked === record.messageId) host.onPicked(record.messageId)
    }
    const live = host.open({ record, session, parts, recovered: left })
    const stays = latest && (services.recovery() === 'continue' || record.status === 'waiting')
    if (!stays)
      live.abort(
        new NamedError('Interrupted', 'The server stopped while writing this answer. Regenerate it to continue.'),
      )
    void live.begin()
    if (!stays) await live.done
  }

  /** Returns the state of a sub-agent's run, only once. */
  function claimRecovered(runId: string): RecoveredState | undefined {
    const left = orphans.get(runId)
    orphans.delete(runId)
    return left
  }

  function forget(sessionId: string): void {
    for (const [id, { record }] of orphans) if (record.sessionId === sessionId) orphans.delete(id)
  }

  /** In a cluster, a failure of the database is temporary, and another process may have the session by now. */
  async function giveUp(record: RunRecord, error: unknown): Promise<void> {
    if (services.turns !== undefined && (isServerFault(error) || isElsewhere(error))) throw error
    warn('a run could not be taken up', record, error)
    if (isColumn(record)) await fail(record, error).catch(() => interrupt(record))
    else await interrupt(record)
  }

  /** Stores a failed answer, so that the other columns continue. */
  async function fail(record: RunRecord, error: unknown): Promise<void> {
    const { model } = runRequestOf(record)
    const metadata = { model, error: errorInfo(error), createdAt: record.createdAt }
    await storeAnswer(store, record, { id: record.messageId, role: 'assistant', parts: [], metadata }, 'failed')
  }

  async function interrupt(record: RunRecord): Promise<void> {
    await store.runs
      .put({ ...record, status: 'interrupted', endedAt: Date.now() })
      .catch((again: unknown) => isElsewhere(again) || warn('a run could not be closed', record, again))
  }
}

interface UnfinishedRun extends RecoveredState {
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
