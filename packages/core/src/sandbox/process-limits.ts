import { readdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { membersOf, sendSignalTo } from '../process/processes.ts'

const mostProcesses = 2048
const mostFileBytes = 1_000_000_000
const mostCpuSeconds = 4 * 60 * 60

const limits = [
  'ulimit -c 0',
  `ulimit -f ${Math.floor(mostFileBytes / 1024)}`,
  `ulimit -t ${mostCpuSeconds}`,
  `ulimit -d ${Math.floor((totalmem() * 0.75) / 1024)}`,
  `ulimit -u ${mostProcesses}`,
]

/**
 * What bash does first in a sandbox. Files that our process was started with are closed: one could be a way out. Then
 * nothing can take more than its share: no core files, files of 1 GB at most, four hours of processor time and three
 * quarters of the memory for one process, and so many processes. The address space is not limited: V8 and others reserve
 * far more of it than they use.
 */
export const limitsScript = [
  'for __troupe_fd in /dev/fd/*; do __troupe_fd=${__troupe_fd##*/}; [ "$__troupe_fd" -le 3 ] || eval "exec $__troupe_fd>&-"; done; unset __troupe_fd',
  // A machine that allows less anyway is no reason to complain.
  ...limits.map((limit) => `${limit} 2>/dev/null`),
].join('; ')

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
