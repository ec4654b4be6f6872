import { readdirSync } from 'node:fs'
import { membersOf, sendSignalTo } from '../shell/processes.ts'
import { mostProcesses } from './limits.ts'

const everyMs = 100

/**
 * The kernel counts no processes of root, so `ulimit` does not hold where we are root: there we look, and end a command
 * that has more than it may. The returned function ends the watch. Does nothing for other users.
 */
export function watchProcesses(pid: number, most = mostProcesses): () => void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return () => undefined
  const timer = setInterval(() => {
    // What the whole machine does not have, one command does not.
    if (readdirSync('/proc').length > most && membersOf({ pid }).length > most) sendSignalTo(-pid, 'SIGKILL')
  }, everyMs).unref()
  return () => clearInterval(timer)
}
