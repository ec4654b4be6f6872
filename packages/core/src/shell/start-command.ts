import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Duplex, Writable } from 'node:stream'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import type { Pipe } from '../process/pipe-pool.ts'
import { endCommand, membersOf } from '../process/processes.ts'
import { findBash, startProcess } from '../process/start-process.ts'
import { limitsScript } from '../sandbox/process-limits.ts'
import type { Launch } from './launch.ts'

export interface CommandStart {
  command: string
  launch: Launch
  pipe: Pipe
  /** Default: /dev/null. */
  stdin?: 'pipe'
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface StartedCommand {
  /** Also the id of its process group and session. */
  readonly pid: number
  readonly stdin: Writable | null
  /** Receives output in order, as it arrives. A returned promise pauses reading and must never reject. */
  onText: (text: string) => Promise<void> | void
  /** Lets the command begin. Journal it first. */
  go(): void
  readonly exited: Promise<Exit>
  /** Resolves when the command has ended, nothing holds its output open, and all output is delivered. */
  readonly closed: Promise<void>
  readonly printed: number
  /** True while output is being delivered. */
  readonly busy: boolean
  /** Final report of the shell: its folder, a NUL, its exports, a NUL. */
  readonly lastWords: string
  /** True once the shell runs. Only inside the sandbox can that take a while, or fail. */
  readonly began: boolean
  /** Resolves when the shell runs, or ended before it could. */
  readonly settled: Promise<unknown>
  /** Stops listening. Running processes are left alone. */
  abandon(): void
  unref(): void
}

/**
 * Runs one bash per command. File descriptor 3 is a socket to us. The command arrives through it once it may begin, so
 * it can have any length and appears in no process list. The shell's last words go back the same way. An EXIT trap
 * covers `exit`, `set -e` and syntax errors. After `exec` there is no shell to ask. A command may replace the EXIT
 * trap, so a normal end does not rely on it.
 */
const wrapper = [
  `IFS= builtin read -r -d '' -u 219 __troupe_command || exit 125`,
  `__troupe_keep() { { set +x; [ -n "\${__troupe_kept-}" ] || { __troupe_kept=1; builtin pwd -P; builtin printf '\\0'; builtin declare -px; builtin printf '\\0'; } >&219; } 2>/dev/null || :; }`,
  `trap '{ __troupe_keep; } 2>/dev/null' EXIT`,
  'eval "$__troupe_command"',
  '{ __troupe_status=$?; __troupe_keep; exit "$__troupe_status"; } 2>/dev/null',
].join('; ')

/**
 * Moves the socket away from the low numbers that commands use. Inside the sandbox the shell first reports that it
 * runs.
 */
const opening = 'exec 219<&3 3<&-'
const confinedOpening = `${limitsScript}; ${opening}; builtin printf . >&219`

export function commandShell(confined: boolean): string[] {
  return [findBash(), '--noprofile', '--norc', '-c', `${confined ? confinedOpening : opening}; ${wrapper}`, 'bash']
}

/** Milliseconds to wait for the output to close after the shell ends. Extended while processes print or compute. */
const heldMs = 150
const finishMs = 1000
const longestWords = 4 << 20

export async function startCommand({ command, launch, pipe, stdin }: CommandStart): Promise<StartedCommand> {
  const { output, write } = pipe
  const { file, args, env, cwd, confinement } = launch
  const child = await startProcess(`bash in ${cwd}`, () =>
    spawn(file, args, { cwd, env, detached: true, stdio: [stdin ?? 'ignore', write, write, 'pipe'] }),
  )
    .catch((error: unknown) => {
      output.destroy()
      throw error
    })
    // Close our copy of the write end, or the output would never end.
    .finally(() => closeSync(write))
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const gate = child.stdio[3] as Duplex
  const words: Buffer[] = []
  let spoken = 0
  let printed = 0
  let handing = 0
  let handed: Promise<unknown> = Promise.resolve()
  const exited = Promise.withResolvers<Exit>()
  const closed = Promise.withResolvers<void>()
  const said = Promise.withResolvers<void>()
  if (confinement === 'none') said.resolve()

  const handOn = (bytes?: Buffer): void => {
    const text = decoder.decode(bytes, { stream: bytes !== undefined })
    if (text === '') return
    printed += text.length
    const wait = handle.onText(text)
    if (wait === undefined) return
    handing++
    output.pause()
    handed = wait.finally(() => {
      handing--
      if (handing === 0) output.resume()
    })
  }
  output.on('data', handOn)
  output.on('error', () => output.destroy())
  const outputEnd = new Promise<void>((resolve) => output.once('close', () => resolve())).then(() => {
    handOn()
    return handed
  })
  gate.on('data', (bytes: Buffer) => {
    spoken += bytes.length
    said.resolve()
    if (spoken <= longestWords) words.push(bytes)
  })
  // The child may exit before it reads its command.
  gate.on('error', () => gate.destroy())
  child.stdin?.on('error', () => child.stdin?.destroy())
  child.once('exit', (code, signal) => exited.resolve({ code, signal }))
  const childEnd = new Promise<void>((resolve) => child.once('close', () => resolve()))
  void Promise.all([outputEnd, childEnd]).then(() => closed.resolve())

  const handle: StartedCommand = {
    pid: child.pid as number,
    stdin: child.stdin,
    onText: () => undefined,
    go: () => void gate.write(`${command}\0`),
    exited: exited.promise,
    settled: Promise.race([said.promise, exited.promise]),
    closed: closed.promise,
    get printed() {
      return printed
    },
    get busy() {
      return handing > 0 || output.readableLength > 0
    },
    get lastWords() {
      return Buffer.concat(words).toString('utf8', confinement === 'none' ? 0 : 1)
    },
    get began() {
      return confinement === 'none' || spoken > 0
    },
    abandon() {
      output.destroy()
      gate.destroy()
    },
    unref() {
      child.unref()
      output.unref()
      ;(gate as unknown as { unref(): void }).unref()
    },
  }
  return handle
}

/**
 * True if the output of a command whose shell has ended is closed too. Output printed before the end is delivered by
 * then, even if something holds the pipe open.
 */
export async function isClosed(started: StartedCommand): Promise<boolean> {
  const closed = started.closed.then(() => true)
  for (let waited = heldMs; ; waited += heldMs) {
    const before = started.printed
    if (await Promise.race([closed, delay(heldMs, false, { ref: false })])) return true
    // After a stall the timer fires before waiting output is read. An immediate runs after it.
    if (await Promise.race([closed, setImmediate(false)])) return true
    const finishing = waited < finishMs && (started.printed > before || worksOn(started))
    if (!finishing && (!started.busy || waited > 5000)) return false
  }
}

function worksOn({ pid }: StartedCommand): boolean {
  return membersOf({ pid }, { fresh: true }).some((one) => one.works)
}

/**
 * Kills all processes of a command. While its sandbox is still starting, it would ignore SIGTERM and has nothing to
 * clean up.
 */
export function endStarted({ pid, began }: StartedCommand, mark: string): Promise<void> {
  return endCommand({ pid, mark }, { atOnce: !began })
}
