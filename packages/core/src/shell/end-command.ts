import { setTimeout as delay } from 'node:timers/promises'
import { membersOf, type ProcessInfo, sendSignalTo, type CommandProcesses } from './processes.ts'

/** How long a command has between SIGTERM and SIGKILL. */
const graceMs = 1000
const giveUpMs = 5000

interface PendingEnd {
  target: CommandProcesses
  atOnce: boolean
  /** What of it is alive. */
  known: ProcessInfo[]
  resolve(): void
  reject(error: Error): void
}

let pendingEnds: PendingEnd[] | undefined

/**
 * Ends everything that belongs to a command, also what left its group: SIGTERM, then SIGKILL for what is still there;
 * `atOnce` is for what has nothing to put in order. Resolves when all of it is gone; rejects when the system does not let go of something. Commands that are ended in one
 * go share their looks at the processes of the machine, which cost more than all the rest.
 */
export function endCommand(target: CommandProcesses, { atOnce = false } = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  if (pendingEnds === undefined) {
    const together: PendingEnd[] = []
    pendingEnds = together
    queueMicrotask(() => {
      pendingEnds = undefined
      endAll(together).catch((error: unknown) => together.forEach((ending) => ending.reject(error as Error)))
    })
  }
  pendingEnds.push({ target, atOnce, known: [], resolve, reject })
  return promise
}

async function endAll(endings: PendingEnd[]): Promise<void> {
  let left = stillAlive(endings)
  for (const ending of left) sendSignal(ending, ending.atOnce ? 'SIGKILL' : 'SIGTERM')
  for (const ending of left) sendSignal(ending, 'SIGCONT')
  left = await goneWithin(graceMs, left)
  for (const until = performance.now() + giveUpMs; left.length > 0 && performance.now() < until;) {
    for (const ending of left) sendSignal(ending, 'SIGKILL')
    left = await goneWithin(100, left)
  }
  for (const { known, reject } of left) {
    const named = known.slice(0, 10).map(({ pid }) => pid)
    const more = known.length > named.length ? ` and ${known.length - named.length} more` : ''
    reject(new Error(`These processes could not be ended: ${named.join(', ')}${more}.`))
  }
}

/** What is left of them after a while, also of what was started while the signals went out. */
async function goneWithin(ms: number, endings: PendingEnd[]): Promise<PendingEnd[]> {
  let left = endings
  const end = performance.now() + ms
  for (let wait = 2; left.length > 0 && performance.now() < end; wait = Math.min(wait * 2, 50)) {
    await delay(wait)
    left = stillAlive(left)
  }
  return left
}

/** Those of which something is alive; the others are done. */
function stillAlive(endings: PendingEnd[]): PendingEnd[] {
  let fresh = true
  return endings.filter((ending) => {
    ending.known = membersOf(ending.target, { known: ending.known, fresh })
    fresh = false
    if (ending.known.length === 0) ending.resolve()
    return ending.known.length > 0
  })
}

function sendSignal({ target: { pid: group }, known }: PendingEnd, name: NodeJS.Signals): void {
  // The kernel sends to a group as one: whoever forks meanwhile cannot slip through.
  if (group !== undefined && known.some((one) => one.group === group)) sendSignalTo(-group, name)
  for (const one of known) if (one.group !== group) sendSignalTo(one.pid, name)
}
