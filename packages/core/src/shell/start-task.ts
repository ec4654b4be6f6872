import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IPty } from '@lydell/node-pty'
import { resolvePath } from '../files/resolve-path.ts'
import { type CommandProcesses, endCommand, membersOf, sendSignalTo } from '../process/processes.ts'
import { findBash } from '../process/start-process.ts'
import type { Task } from '../process/tasks.ts'
import { limitsScript, watchProcesses } from '../sandbox/process-limits.ts'
import type { ToolContext } from '../tool/tool.ts'
import { addTask, commandTask, createTask, printLimit, refuseTooMany } from './command-task.ts'
import { confinementOf, type Launch, launch } from './launch.ts'
import { beginCommand, commandEnvironment, noteForUndo } from './run-command.ts'
import { workingFolder } from './shell-state.ts'

interface TerminalOptions {
  cols: number
  rows: number
  cwd: string
}

// Waits for a line from us. Terminal output up to the given mark, including the line's echo, is not the command's.
const opening = 'IFS= read -rs _ && printf %s "$1"'
const wrapper = `${opening} && exec "$0" --noprofile --norc -c "$2" bash`
// In the sandbox the terminal belongs to an outside process, which Control-C must not kill, so the command gets its own
// group. It cannot be suspended, because nothing could resume it. The same is true without a sandbox.
const confinedWrapper = `${limitsScript}; ${opening} && trap '' TSTP && set -m && "$0" --noprofile --norc -c "$2" bash; exit $?`
/** The kernel accepts no longer argument. */
const longestCommand = 100_000

/** Starts a command in its own terminal. Journals it before it begins. */
async function startTerminal(
  command: string,
  ctx: ToolContext,
  { cols, rows, cwd }: TerminalOptions,
  notes: string[],
): Promise<Task> {
  if (Buffer.byteLength(command) > longestCommand)
    throw new Error('The command is too long for a terminal. Write it to a file and run the file.')
  const { spawn } = await import('@lydell/node-pty')
  const { tasks } = ctx.state
  const begin = `\x1e${randomBytes(8).toString('hex')}`
  const mark = tasks.nextMark()
  const bash = findBash()
  const script = confinementOf(ctx) === 'none' ? wrapper : confinedWrapper
  const argv = [bash, '--noprofile', '--norc', '-c', script, bash, begin, command]
  const ready = await launch(ctx, argv, { cwd, env: commandEnvironment(ctx, mark) })
  const { file, args, env } = ready
  // Read bytes, so that split characters can be joined here.
  const options = { name: 'dumb', cols, rows, cwd: ready.cwd, env, encoding: null }
  const pty = startPty(() => spawn(file, args, options), ready)
  const target = { pid: pty.pid, mark }
  const task = openTerminalTask(command, ctx, ready, pty, target, begin)
  const stopWatching = ready.confinement === 'none' ? undefined : watchProcesses(pty.pid)
  void task.ended.then(stopWatching).then(ready.release)
  try {
    await ctx.process(pty.pid)
    tasks.add(task)
    pty.write('\n')
  } catch (error) {
    await endCommand(target)
    throw error
  }
  await noteForUndo(command, ctx, notes)
  return task
}

/** The library does not report the cause of a failure. */
function startPty(start: () => IPty, { release }: Launch): IPty {
  try {
    return start()
  } catch (error) {
    release()
    throw new Error(
      `The terminal could not be started: ${(error as Error).message} The machine may be out of terminals, files or processes. Try again in a moment, or run the command without a terminal.`,
      { cause: error },
    )
  }
}

function openTerminalTask(
  command: string,
  ctx: ToolContext,
  { confinement, stopReason }: Launch,
  pty: IPty,
  target: CommandProcesses,
  begin: string,
): Task {
  const opened = createTask({
    kind: 'terminal',
    command,
    confinement,
    pid: pty.pid,
    startedAt: Date.now(),
    ctx,
    idle: (text) => awaitsInput(text, pty.pid),
    stop() {
      // A shell at its prompt ignores SIGTERM, but exits when its terminal closes.
      sendSignalTo(-pty.pid, 'SIGHUP')
      return endCommand(target)
    },
    write: (text) => pty.write(text),
    resize: (columns, rows) => pty.resize(columns, rows),
    size: { columns: pty.cols, rows: pty.rows },
  })
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let opening: string | undefined = ''
  pty.onData((piece) => print(decoder.decode(piece as unknown as Uint8Array, { stream: true })))
  pty.onExit((exit) => {
    print(decoder.decode())
    void finish(exit.signal === undefined || exit.signal === 0 ? exit.exitCode : null)
  })
  return opened.task

  function print(given: string): void {
    const text = opening === undefined ? given : afterOpening(given)
    if (text === '') return
    const wait = opened.print(text)
    if (wait === undefined) return
    pty.pause()
    void wait.then(() => pty.resume())
  }

  function afterOpening(text: string): string {
    opening += text
    const at = opening?.indexOf(begin) ?? -1
    if (at === -1) return ''
    const rest = opening?.slice(at + begin.length) ?? ''
    opening = undefined
    return rest
  }

  /** The terminal and its programs are gone. Kill processes that detached themselves. */
  async function finish(exitCode: number | null): Promise<void> {
    // An unkillable process is no reason to show a terminal that is gone.
    if (membersOf(target, { fresh: true }).length > 0) await endCommand(target).catch(() => undefined)
    await printLimit(opened, stopReason?.(exitCode))
    await opened.end(exitCode)
  }
}

/** True if the text ends in a prompt, or if the kernel reports a read from the terminal. */
function awaitsInput(text: string, pid: number): boolean {
  if (text.slice(text.lastIndexOf('\n') + 1).trim() !== '') return true
  return membersOf({ pid }).some((one) => /wait_woken|n_tty_read/.test(waitChannel(one.pid)))
}

function waitChannel(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/wchan`, 'latin1')
  } catch {
    return ''
  }
}

export async function startInBackground(
  command: string,
  ctx: ToolContext,
  notes: string[],
  timeoutMs?: number,
): Promise<Task> {
  refuseTooMany(ctx.state.tasks, 'command')
  const { go, ...begun } = await beginCommand(command, ctx, notes)
  const task = commandTask({ ctx, command, ...begun, timeoutMs })
  await addTask(ctx.state.tasks, task)
  await go()
  return task
}

export interface TerminalStart {
  command: string
  tty: boolean
  cols: number
  rows: number
  workdir?: string | undefined
}

export async function startTerminalTask(start: TerminalStart, ctx: ToolContext, notes: string[]): Promise<Task> {
  const { command, tty, cols, rows, workdir } = start
  refuseTooMany(ctx.state.tasks, 'terminal')
  if (command.includes('\0')) throw new Error('The command contains a NUL character, which is not allowed.')
  const cwd = workdir === undefined ? workingFolder(ctx.state, notes) : folderOf(workdir, ctx)
  if (tty) return startTerminal(command, ctx, { cols, rows, cwd }, notes)
  const { go, ...begun } = await beginCommand(command, ctx, notes, { stdin: 'pipe', cwd })
  const task = commandTask({ ctx, command, ...begun, kind: 'terminal' })
  await addTask(ctx.state.tasks, task)
  await go()
  return task
}

function folderOf(workdir: string, ctx: ToolContext): string {
  const { path, stats } = resolvePath(ctx, workdir, { for: 'read' })
  if (stats?.isDirectory() !== true) throw new Error(`"${workdir}" is not a folder, so nothing can run in it.`)
  return path
}
