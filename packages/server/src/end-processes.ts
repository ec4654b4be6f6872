import { processStartTime } from '@troupe/core'

/** Ends the process groups that a crashed process left behind, if they are still the ones that were journalled. */
export async function endProcesses(processes: readonly { pid: number; startTime: string }[]): Promise<void> {
  for (const { pid, startTime } of processes) {
    if (startTime === '' || processStartTime(pid) !== startTime) continue
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
