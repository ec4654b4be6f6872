import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** When the kernel says that a process began, so that a reused pid is never taken for it. Undefined when it is gone. */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The command name may hold blanks and brackets; fields are counted behind its last bracket.
      const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
      return `${ticks} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`
    }
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return started === '' ? undefined : started
  } catch {
    return undefined
  }
}
