import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
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
async function retryOnShortage<Result>(work: () => Promise<Result> | Result): Promise<Result> {
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

/** So many stay free for connections, the database and files that are written. */
const reservedFiles = 24
/** While something was given back so recently, waiting helps. */
const shortageWaitMs = 3000

let lastEnd = -Infinity
let lastStart: Promise<unknown> = Promise.resolve()

/**
 * Starts processes one after the other, and each only when there are files left to open: where many start at once, they
 * take turns, as long as those that run give files back.
 */
export function queueStart<Result>(start: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  return retryOnShortage(() => {
    const turn = lastStart.then(async () => {
      while (freeFiles() < 0 && performance.now() - lastEnd < shortageWaitMs && signal?.aborted !== true)
        await delay(20)
      signal?.throwIfAborted()
      return start()
    })
    lastStart = turn.catch(() => undefined)
    return turn
  })
}

/** How many files can be opened without touching the reserve. Infinity where the system does not tell. */
export function freeFiles(): number {
  limit ??= readLimit()
  // A limit that nobody comes near need not be counted against.
  if (limit > 16_384) return Infinity
  try {
    return limit - reservedFiles - readdirSync('/proc/self/fd').length
  } catch {
    return -reservedFiles
  }
}

let limit: number | undefined

function readLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

/**
 * Starts a child process with `start`, which calls `spawn`. Rejects when it cannot be started. Node reports that in
 * three ways: it throws, emits an error, or emits one and returns a child without streams. An error without a listener
 * would end our process.
 */
export async function startProcess<Child extends ChildProcess>(name: string, start: () => Child): Promise<Child> {
  try {
    const child = start()
    if (child.pid === undefined) throw await new Promise<Error>((resolve) => child.once('error', resolve))
    // A failed kill or message is no reason to end; callers listen for the exit.
    child.on('error', () => undefined)
    child.once('close', () => (lastEnd = performance.now()))
    return child
  } catch (error) {
    throw startError(name, error as Error)
  }
}

export function startError(name: string, error: Error): Error {
  const shortage = shortageOf(error)
  const why = shortage === undefined ? error.message : `${shortage}. Try again in a moment`
  return Object.assign(new Error(`${name} could not be started: ${why}.`.replace(/\.\.$/, '.'), { cause: error }), {
    code: (error as NodeJS.ErrnoException).code,
  })
}
