import { readdirSync, readFileSync } from 'node:fs'
import { processMark, processStartTime } from '@troupe/core'

export interface OrphanProcesses {
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
