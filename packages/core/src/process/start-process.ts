import { type ChildProcess, execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
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

/** Whether a file is there and may be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

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

/**
 * The environment that a tool gives to the processes it starts, so that they are known as those of its call even when
 * the leader of their group is gone.
 */
export function processMark(runId: string, toolCallId: string): Record<string, string> {
  return { TROUPE_CALL: `${runId}/${toolCallId}` }
}

/** The shell that commands run in, whatever PATH an agent has exported. */
export function findBash(): string {
  found ??= places().find(isProgram)
  if (found === undefined)
    throw new Error('There is no bash on this machine, so commands cannot run. Ask the person to install it.')
  return found
}

let found: string | undefined

function places(): string[] {
  const folders = [
    '/bin',
    '/usr/bin',
    '/usr/local/bin',
    '/opt/homebrew/bin',
    ...(process.env['PATH'] ?? '').split(path.delimiter),
  ]
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, 'bash'))
}

/** A program of the system, or else of PATH. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...(env['PATH'] ?? '').split(path.delimiter)]
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isProgram)
}
