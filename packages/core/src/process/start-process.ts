import { type ChildProcess, execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const shortages: Record<string, string> = {
  EMFILE: 'this program has too many files open (its limit is "ulimit -n")',
  ENFILE: 'the machine has too many files open',
  EAGAIN: 'the machine cannot start more processes at the moment',
  ENOMEM: 'the machine is out of memory',
}

/** Names the exhausted system resource in plain words. Undefined for other errors. */
export function shortageOf(error: unknown): string | undefined {
  return shortages[(error as NodeJS.ErrnoException | null | undefined)?.code ?? '']
}

const waitsMs = [20, 50, 100, 200, 400, 800]

/** Retries for a while if the system is out of files, processes, or memory, since others release them. */
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

/** File descriptors reserved for connections, the database, and file writes. */
const reservedFiles = 24
/** Waiting helps only if a process exited within this time. */
const shortageWaitMs = 3000

let lastEnd = -Infinity
let lastStart: Promise<unknown> = Promise.resolve()

/**
 * Starts processes one at a time, each only while file descriptors are available. Concurrent starts queue as long as
 * running processes free descriptors.
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

/** Number of files that can be opened without touching the reserve. Infinity if the system does not report a limit. */
export function freeFiles(): number {
  limit ??= readLimit()
  // Skip counting if the limit is far out of reach.
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
 * Starts a child process with `start`, which calls `spawn`. Rejects if it fails to start. Node reports failure in three
 * ways: it throws, emits an error, or emits one and returns a child without streams. An unhandled error event would end
 * our process.
 */
export async function startProcess<Child extends ChildProcess>(name: string, start: () => Child): Promise<Child> {
  try {
    const child = start()
    if (child.pid === undefined) throw await new Promise<Error>((resolve) => child.once('error', resolve))
    // Ignore failed kills or messages. Callers listen for the exit.
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

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Start time from the kernel, which detects a reused PID. Undefined if the process is gone. */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The command name may contain spaces and parentheses, so fields start after the last parenthesis.
      const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
      return `${ticks} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`
    }
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return started === '' ? undefined : started
  } catch {
    return undefined
  }
}

/** Environment that marks the processes of a tool call, so that they can be found after their group leader exits. */
export function processMark(runId: string, toolCallId: string): Record<string, string> {
  return { TROUPE_CALL: `${runId}/${toolCallId}` }
}

/** Finds the shell for commands, regardless of the agent's PATH. */
export function findBash(): string {
  found ??= places().find(isProgram)
  if (found === undefined)
    throw new Error('Bash is not installed on this machine, so commands cannot run. Ask the user to install it.')
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

/** Finds a program in system folders first, then in PATH. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...(env['PATH'] ?? '').split(path.delimiter)]
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isProgram)
}
