import { totalmem } from 'node:os'

export const mostProcesses = 2048
const mostFileBytes = 1_000_000_000
const mostCpuSeconds = 4 * 60 * 60

/**
 * What bash does first in a sandbox, so that nothing after it can take more than its share: no core files, files of 1 GB
 * at most, four hours of processor time and three quarters of the memory for one process, and so many processes. The
 * address space is not limited: V8 and others reserve far more of it than they use.
 */
export const limitsScript = [
  'ulimit -c 0',
  `ulimit -f ${Math.floor(mostFileBytes / 1024)}`,
  `ulimit -t ${mostCpuSeconds}`,
  `ulimit -d ${Math.floor((totalmem() * 0.75) / 1024)}`,
  `ulimit -u ${mostProcesses}`,
]
  // A machine that allows less anyway is no reason to complain.
  .map((limit) => `${limit} 2>/dev/null`)
  .join('; ')
