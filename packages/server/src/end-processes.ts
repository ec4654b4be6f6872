import { readdirSync, readFileSync } from 'node:fs'
import { processMark, processStartTime } from '@troupe/core'

/**
 * Ends the process groups that a crashed process left behind, if they are still the ones that were journalled: their
 * leader began when it says there, or, where that is gone, a member carries the mark of the call that started it.
 */
export function endProcesses(
  runId: string,
  processes: readonly { toolCallId: string; pid: number; startTime: string }[],
): void {
  for (const { toolCallId, pid, startTime } of processes) {
    const began = processStartTime(pid)
    const ours =
      began === undefined
        ? hasMarkedMember(pid, processMark(runId, toolCallId))
        : startTime !== '' && began === startTime
    if (!ours) continue
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Only where the kernel lets us look. */
function hasMarkedMember(group: number, mark: Record<string, string>): boolean {
  if (process.platform !== 'linux') return false
  const wanted = Object.entries(mark).map(([name, value]) => `${name}=${value}`)
  return readdirSync('/proc').some((entry) => {
    if (!/^\d+$/.test(entry)) return false
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) !== group) return false
      const environment = readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0')
      return wanted.every((line) => environment.includes(line))
    } catch {
      return false
    }
  })
}
