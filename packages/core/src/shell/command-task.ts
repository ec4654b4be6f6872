import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Confinement } from '../access/decision.ts'
import { createRing, ringCharacters } from '../process/output-buffer.ts'
import { isAlive, membersOf, sendSignalTo } from '../process/processes.ts'
import type { Task, Tasks } from '../process/tasks.ts'
import { createSpillWriter, type SpillContext } from './command-output.ts'
import { endStarted, isClosed, type StartedCommand } from './start-command.ts'

interface TaskParts {
  kind: Task['kind']
  command: string
  confinement: Confinement
  pid: number
  startedAt: number
  ctx: SpillContext
  /** Maximum bytes on disk. Default: the limit of any command. */
  spillBytes?: number
  idle?(text: string): boolean
  /** Stops all its processes. `end` reports the end of the task. */
  stop(): Promise<void>
  write?(text: string): void
  resize?(columns: number, rows: number): void
  size?: { columns: number; rows: number }
}

interface OpenTask {
  task: Task
  /** Adds output. A returned promise asks the source to wait. Never rejects. */
  print(text: string): Promise<void> | void
  /** Call when none of its processes is left. */
  end(exitCode: number | null): Promise<void>
  endsAs(status: 'stopped' | 'timed-out'): void
}

/** Longer quiet time for a task that prints and does not wait for input. */
const busyQuietMs = 1000
/** Output a task may print per window before it is throttled. Nobody reads more, and other sessions need the CPU. */
const charactersPerWindow = 2 << 20
const windowMs = 100

export function createTask(parts: TaskParts): OpenTask {
  const { kind, command, confinement, pid, startedAt, write, resize } = parts
  // An ended task stays readable for long, so it must not retain its process or the conversation of its call.
  let running: Pick<TaskParts, 'idle' | 'stop' | 'write' | 'resize'> | undefined = {
    stop: parts.stop,
    idle: parts.idle,
    write,
    resize,
  }
  const ctx = { state: { outputFolder: parts.ctx.state.outputFolder }, toolCallId: parts.ctx.toolCallId }
  const ring = createRing()
  const spill = createSpillWriter(ctx, kind, parts.spillBytes)
  const ended = Promise.withResolvers<void>()
  let spilling = false
  let lastAt = performance.now()
  let window = { from: 0, characters: 0 }
  let change = Promise.withResolvers<void>()
  let status: Task['status'] = 'ended'
  const listeners = new Set<() => void>()
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  const task: Task = {
    id: `${kind === 'terminal' ? 'term' : 'task'}-${randomBytes(4).toString('hex')}`,
    kind,
    command,
    confinement,
    pid,
    startedAt,
    endedAt: undefined,
    status: 'running',
    exitCode: null,
    get spilled() {
      return spill.path === undefined ? undefined : { path: spill.path, length: ring.length, note: spill.note }
    },
    read: (from) => ring.read(from),
    seen: 0,
    async settled({ ms, quietMs, from, signal }) {
      const until = performance.now() + ms
      for (let now = performance.now(); task.status === 'running' && now < until; now = performance.now()) {
        if (signal?.aborted === true) return
        let wait = until - now
        if (ring.length > from) {
          const quiet = now - lastAt
          if (quiet >= busyQuietMs || (quiet >= quietMs && isIdle())) return
          wait = Math.min(wait, (quiet < quietMs ? quietMs : busyQuietMs) - quiet)
        }
        await sleep(wait, signal)
      }
    },
    async stop() {
      if (task.status !== 'running') return
      if (status === 'ended') status = 'stopped'
      // A task does not keep our process alive, but stopping one does.
      const hold = setInterval(() => undefined, 1000)
      try {
        await running?.stop()
        await ended.promise
      } finally {
        clearInterval(hold)
      }
    },
    write: write && ((text: string) => running?.write?.(text)),
    resize:
      resize &&
      ((columns: number, rows: number) => {
        running?.resize?.(columns, rows)
        task.size = { columns, rows }
        tell()
      }),
    size: parts.size,
    held: false,
    typedByPerson: false,
    hold(held) {
      task.held = held
      tell()
    },
    onNews(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ended: ended.promise,
  }
  return {
    task,
    print(text) {
      const overflows = !spilling && ring.length + text.length > ringCharacters
      const before = overflows ? ring.read().text : ''
      ring.add(text)
      lastAt = performance.now()
      change.resolve()
      change = Promise.withResolvers()
      tell()
      const brake = held(text.length)
      if (!spilling && !overflows) return brake
      spilling = true
      const written = spill.add(before + text)
      return brake === undefined ? written : Promise.all([written, brake]).then(() => undefined)
    },
    endsAs: (as) => void (status = as),
    async end(exitCode) {
      if (task.status !== 'running') return
      await spill.end()
      running = undefined
      task.status = status
      task.exitCode = exitCode
      task.endedAt = Date.now()
      ended.resolve()
      change.resolve()
      tell()
    },
  }

  function isIdle(): boolean {
    return running?.idle?.(ring.read(Math.max(0, ring.length - 200)).text) ?? true
  }

  async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController()
    const any = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
    await Promise.race([change.promise, ended.promise, delay(ms, undefined, { signal: any }).catch(() => undefined)])
    over.abort()
  }

  function held(characters: number): Promise<void> | undefined {
    const now = performance.now()
    if (now - window.from >= windowMs) window = { from: now, characters: 0 }
    window.characters += characters
    if (window.characters < charactersPerWindow) return undefined
    return delay(window.from + windowMs - now, undefined, { ref: false })
  }
}

/** Tells the readers of a task that a limit has ended it. */
export async function printLimit(open: Pick<OpenTask, 'print'>, reason: string | undefined): Promise<void> {
  if (reason !== undefined) await open.print(`\n${reason}\n`)
}

/** Adds a started task. If the session has ended meanwhile, stops it. */
export async function addTask(tasks: Tasks, task: Task): Promise<void> {
  try {
    tasks.add(task)
  } catch (error) {
    await task.stop()
    throw error
  }
}

const limits = { command: { most: 200, what: 'background commands' }, terminal: { most: 16, what: 'terminals' } }

/** Throws if the session has reached its limit of such tasks. */
export function refuseTooMany(tasks: Tasks, kind: Task['kind']): void {
  const { most, what } = limits[kind]
  const live = tasks.list().filter((task) => task.kind === kind && task.status === 'running')
  if (live.length < most) return
  const oldest = live.slice(0, 3).map((task) => `${task.id} (${task.command.slice(0, 40)})`)
  const how = kind === 'command' ? 'TaskStop' : 'WriteStdin and "end": true'
  throw new Error(
    `The limit of ${most} running ${what} is reached. Stop one with ${how}. The oldest are ${oldest.join(', ')}.`,
  )
}

interface CommandTaskOptions {
  ctx: SpillContext
  command: string
  started: StartedCommand
  confinement: Confinement
  mark: string
  startedAt: number
  stopReason?(exitCode: number | null): string | undefined
  /** A terminal without a tty keeps its input open. */
  kind?: Task['kind']
}

/** A longer timeout would fire immediately. */
const longestTimer = 2 ** 31 - 1

/**
 * Turns a command into a task that runs on its own. `timeoutMs` ends it. Without it, the task runs until it exits, is
 * stopped, or the session ends.
 */
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
    await printLimit(open, options.stopReason?.(code))
    await open.end(code)
  })
  return open.task

  function timeUp(): void {
    open.endsAs('timed-out')
    // A process that the system does not release correctly shows as running.
    stop().catch(() => undefined)
  }
}

/** Tracks processes a command left running after its shell ended. Their exit code is unknown. */
export function leftoverTask(options: CommandTaskOptions): Task {
  const { started, mark } = options
  const open = openCommandTask(options)
  void allGone(started.pid, mark).then(async () => {
    started.abandon()
    await printLimit(open, options.stopReason?.(null))
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
    write: stdin === null ? undefined : (text: string) => writeInput(stdin, text),
  })
  started.onText = open.print
  started.unref()
  return open
}

/** Without a terminal, nothing else turns Control-D into end of input. */
function writeInput(stdin: Writable, text: string): void {
  const [before = '', ...after] = text.split('\x04')
  if (before !== '') stdin.write(before)
  if (after.length > 0) stdin.end()
}

/** The command ends with its shell, unless it left processes behind. */
async function settledEnd(started: StartedCommand, mark: string): Promise<void> {
  if ((await isClosed(started)) && !sendSignalTo(-started.pid, 0)) return
  await allGone(started.pid, mark)
}

/** Resolves when no process of a command is left. Polls, because the shell, our only child, is gone. */
async function allGone(pid: number, mark: string): Promise<void> {
  let known = membersOf({ pid, mark })
  while (known.length > 0) {
    await delay(100, undefined, { ref: false })
    if (!known.some(isAlive)) known = membersOf({ pid, mark })
  }
}
