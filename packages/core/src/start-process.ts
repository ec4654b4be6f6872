import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

const shortages: Record<string, string> = {
  EMFILE: 'this program has too many files open (its limit is "ulimit -n")',
  ENFILE: 'the machine has too many files open',
  EAGAIN: 'the machine allows no more processes at the moment',
  ENOMEM: 'the machine is out of memory',
}

/** What the system has run out of, in plain words. Undefined for any other error. */
export function shortageOf(error: unknown): string | undefined {
  return shortages[(error as NodeJS.ErrnoException | null | undefined)?.code ?? '']
}

const waitsMs = [20, 50, 100, 200, 400, 800]

/** Tries again for a while when the system has run out of files, processes or memory: others give them back. */
export async function outlastShortage<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  for (const ms of waitsMs) {
    try {
      return await work()
    } catch (error) {
      if (shortageOf(error) === undefined) throw error
      await delay(ms)
    }
  }
  return work()
}

/**
 * Starts a child process with `start`, which calls `spawn`. Rejects when it cannot be started. Node reports that in
 * three ways: it throws, emits an error, or emits one and returns a child without streams. An error without a listener
 * would end our process.
 */
export function startProcess<Child extends ChildProcess>(name: string, start: () => Child): Promise<Child> {
  return outlastShortage(async () => {
    const child = start()
    if (child.pid === undefined) throw await new Promise<Error>((resolve) => child.once('error', resolve))
    // A failed kill or message is no reason to end; callers listen for the exit.
    child.on('error', () => undefined)
    return child
  }).catch((error: Error) => {
    throw startError(name, error)
  })
}

export function startError(name: string, error: Error): Error {
  const shortage = shortageOf(error)
  const why = shortage === undefined ? error.message : `${shortage}. Try again in a moment`
  return Object.assign(new Error(`${name} could not be started: ${why}.`.replace(/\.\.$/, '.'), { cause: error }), {
    code: (error as NodeJS.ErrnoException).code,
  })
}
