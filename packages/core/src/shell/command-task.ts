import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Confinement } from '../permission/decision.ts'
import { createTask, type OpenTask } from './create-task.ts'
import { isAlive, membersOf, sendSignalTo } from './processes.ts'
import type { SpillContext } from './spill-writer.ts'
import { endStarted, isClosed, type StartedCommand } from './start-command.ts'
import type { Task } from './tasks.ts'

export interface CommandTaskOptions {
  ctx: SpillContext
  command: string
  started: StartedCommand
  confinement: Confinement
  mark: string
  startedAt: number
  /** A terminal without a tty: its input stays open. */
  kind?: Task['kind']
}

/** Beyond this a timer would go off at once. */
const longestTimer = 2 ** 31 - 1

/** A command that runs on by itself from now on. `timeoutMs` ends it; without one only its end, a stop or the session does. */
export function commandTask({ timeoutMs, ...options }: CommandTaskOptions & { timeoutMs?: number }): Task {
  const { started, mark } = options
  const open = openCommandTask(options)
  const stop = (): Promise<void> => endStarted(started, mark)
  const timer = timeoutMs === undefined ? undefined : setTimeout(timeUp, Math.min(timeoutMs, longestTimer)).unref()
  void started.exited.then(async ({ code }) => {
    clearTimeout(timer)
    await settledEnd(started, mark)
    started.abandon()
    await started.closed
    await open.end(code)
  })
  return open.task

  function timeUp(): void {
    open.endsAs('timed-out')
    // A process that the system does not let go of shows as running: that is the truth.
    stop().catch(() => undefined)
  }
}

/** What a command left running when its shell had ended. How it will end nobody can tell. */
export function leftoverTask(options: CommandTaskOptions): Task {
  const { started, mark } = options
  const open = openCommandTask(options)
  void allGone(started.pid, mark).then(async () => {
    started.abandon()
    await open.end(null)
  })
  return open.task
}

function openCommandTask({
  ctx,
  command,
  started,
  confinement,
  mark,
  startedAt,
  kind = 'command',
}: CommandTaskOptions): OpenTask {
  const { pid, stdin } = started
  const open = createTask({
    kind,
    command,
    confinement,
    pid,
    startedAt,
    ctx,
    stop: () => endStarted(started, mark),
    ...(stdin !== null && { write: (text: string) => writeInput(stdin, text) }),
  })
  started.onText = open.print
  started.unref()
  return open
}

/** Without a terminal nobody turns Control-D into the end of the input, so we do. */
function writeInput(stdin: Writable, text: string): void {
  const [before = '', ...after] = text.split('\x04')
  if (before !== '') stdin.write(before)
  if (after.length > 0) stdin.end()
}

/** The shell has ended: so has the command, unless it left something behind. */
async function settledEnd(started: StartedCommand, mark: string): Promise<void> {
  if ((await isClosed(started)) && !sendSignalTo(-started.pid, 0)) return
  await allGone(started.pid, mark)
}

/** Resolves when nothing of a command is left whose shell, our child, is gone: nobody tells us, so we look. */
async function allGone(pid: number, mark: string): Promise<void> {
  let known = membersOf({ pid, mark })
  while (known.length > 0) {
    await delay(100, undefined, { ref: false })
    if (!known.some(isAlive)) known = membersOf({ pid, mark })
  }
}
