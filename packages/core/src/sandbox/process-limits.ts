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
 * First commands of bash in a sandbox. Closes inherited files, because one could be a way out. Then sets limits: no
 * core files, 1 GB per file, four hours of CPU time and three quarters of the memory per process, and a maximum number
 * of processes. The address space is unlimited, because V8 and others reserve far more than they use.
 */
export const limitsScript = [
  'for __troupe_fd in /dev/fd/*; do __troupe_fd=${__troupe_fd##*/}; [ "$__troupe_fd" -le 3 ] || eval "exec $__troupe_fd>&-"; done; unset __troupe_fd',
  // Ignore errors on machines with lower limits.
  ...limits.map((limit) => `${limit} 2>/dev/null`),
].join('; ')

const everyMs = 100

/**
 * The kernel does not limit processes of root, so `ulimit` has no effect there. As root, polls and kills a command with
 * too many processes. The returned function ends the watch. Does nothing for other users.
 */
export function watchProcesses(pid: number, most = mostProcesses): () => void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return () => undefined
  const timer = setInterval(() => {
    // Cheap check first: the whole machine must exceed the limit before one command can.
    if (readdirSync('/proc').length > most && membersOf({ pid }).length > most) sendSignalTo(-pid, 'SIGKILL')
  }, everyMs).unref()
  return () => clearInterval(timer)
}
