import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, membersOf, type ProcessInfo, signal, type Target } from './processes.ts'

/** How long a command has between SIGTERM and SIGKILL. */
const graceMs = 1000
const giveUpMs = 5000

/**
 * Ends everything that belongs to a command, also what left its group: SIGTERM, then SIGKILL for what is still there.
 * Resolves when all of it is gone; rejects when the system does not let go of something.
 */
export async function endCommand(target: Target): Promise<void> {
  const known = new Map<number, ProcessInfo>()
  look()
  send('SIGTERM')
  send('SIGCONT')
  if (await goneWithin(graceMs)) return
  const until = performance.now() + giveUpMs
  do {
    look()
    send('SIGKILL')
    if (await goneWithin(100)) return
  } while (performance.now() < until)
  throw new Error(`These processes could not be ended: ${[...known.keys()].join(', ')}.`)

  function look(): void {
    for (const [pid, one] of known) if (!isAlive(one)) known.delete(pid)
    for (const one of membersOf(target, known.keys())) known.set(one.pid, one)
  }

  function send(name: NodeJS.Signals): void {
    const alive = [...known.values()].filter(isAlive)
    // The kernel sends to a group as one: whoever forks meanwhile cannot slip through.
    const group = target.pid
    if (group !== undefined && alive.some((one) => one.group === group)) signal(-group, name)
    for (const one of alive) if (one.group !== group) signal(one.pid, name)
  }

  /** Also looks for what was started while the signals went out. */
  async function goneWithin(ms: number): Promise<boolean> {
    const end = performance.now() + ms
    for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
      await delay(wait)
      if (![...known.values()].some(isAlive)) {
        look()
        if (known.size === 0) return true
      }
      if (performance.now() >= end) return false
    }
  }
}
