import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Duplex, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pipe } from '../process/pipe-pool.ts'
import { endCommand, membersOf } from '../process/processes.ts'
import { findBash, startProcess } from '../process/start-process.ts'
import { limitsScript } from '../sandbox/process-limits.ts'
import type { Launch } from './launch.ts'

export interface CommandStart {
  command: string
  /** Of what `commandShell` says. */
  launch: Launch
  pipe: Pipe
  /** Default: /dev/null. */
  stdin?: 'pipe'
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A command that was started and waits for `go`. */
export interface StartedCommand {
  /** Also the id of its process group and session. */
  readonly pid: number
  readonly stdin: Writable | null
  /** Gets what is printed, in order, as it comes. A promise that it returns, which never rejects, holds the reading back. */
  onText: (text: string) => Promise<void> | void
  /** Lets it begin: whoever journals it does so before. */
  go(): void
  readonly exited: Promise<Exit>
  /** Resolves when it has ended and nobody holds its output any more, with all of it handed on. */
  readonly closed: Promise<void>
  /** Characters handed on so far. */
  readonly printed: number
  /** Whether something that was printed is still being handed on. */
  readonly busy: boolean
  /** What the shell said about itself when it ended: its folder, a NUL, its exports, a NUL. */
  readonly lastWords: string
  /** Whether the shell came to be at all. Only inside the sandbox can that take a while, or fail. */
  readonly began: boolean
  /** Resolves when the shell came to be, or ended before it did. */
  readonly settled: Promise<unknown>
  /** Stops listening; what still runs is left alone. */
  abandon(): void
  /** Lets our process end although this runs. */
  unref(): void
}

/**
 * One bash per command. Its file descriptor 3 is a socket to us: the command comes through it when it may begin (so it
 * can be of any length, and is in no list of processes), and the shell's last words go back. An EXIT trap sees `exit`, `set -e` and syntax errors; after `exec` there is
 * no shell to ask. A command may set an EXIT trap of its own, so a normal end does not rely on ours.
 */
const wrapper = [
  `IFS= builtin read -r -d '' -u 219 __troupe_command || exit 125`,
  `__troupe_keep() { { set +x; [ -n "\${__troupe_kept-}" ] || { __troupe_kept=1; builtin pwd -P; builtin printf '\\0'; builtin declare -px; builtin printf '\\0'; } >&219; } 2>/dev/null || :; }`,
  `trap '{ __troupe_keep; } 2>/dev/null' EXIT`,
  'eval "$__troupe_command"',
  '{ __troupe_status=$?; __troupe_keep; exit "$__troupe_status"; } 2>/dev/null',
].join('; ')

/** Moved out of the way of commands that use low numbers. Inside the sandbox the shell says first that it is there. */
const opening = 'exec 219<&3 3<&-'
const confinedOpening = `${limitsScript}; ${opening}; builtin printf . >&219`

/** The shell of a command that `startCommand` starts. */
export function commandShell(confined: boolean): string[] {
  return [findBash(), '--noprofile', '--norc', '-c', `${confined ? confinedOpening : opening}; ${wrapper}`, 'bash']
}

/** What closes its output a moment after the shell is waited for that long, and longer while it prints or computes. */
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
    // Our copy of the writing end must go, or the output would never end.
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
  // The child may be gone before it has read its command.
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
 * Of a command whose shell has ended: whether its output has too. What was printed before the end is handed on by then,
 * also when something holds the output open.
 */
export async function isClosed(started: StartedCommand): Promise<boolean> {
  const closed = started.closed.then(() => true)
  for (let waited = heldMs; ; waited += heldMs) {
    const before = started.printed
    if (await Promise.race([closed, delay(heldMs, false, { ref: false })])) return true
    const finishing = waited < finishMs && (started.printed > before || worksOn(started))
    if (!finishing && (!started.busy || waited > 5000)) return false
  }
}

function worksOn({ pid }: StartedCommand): boolean {
  return membersOf({ pid }, { fresh: true }).some((one) => one.works)
}

/**
 * Ends all of a command. One whose sandbox is still being put together would not heed SIGTERM, and has done nothing that
 * it could want to put in order.
 */
export function endStarted({ pid, began }: StartedCommand, mark: string): Promise<void> {
  return endCommand({ pid, mark }, { atOnce: !began })
}
