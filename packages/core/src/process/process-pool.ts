import { randomBytes } from 'node:crypto'
import type { Pipe, PipePool } from './pipe-pool.ts'
import type { Warden } from './warden.ts'

/**
 * Resources shared by all sessions that start processes, so that file descriptors and processes do not grow with the
 * number of sessions.
 */
export interface ProcessPool {
  /** Prefix of `TROUPE_TASK` for every process started: `<mark>.<session>.<number>`. */
  readonly mark: string
  acquirePipe(): Promise<Pipe>
  /** Makes sure the process group is killed if our process crashes. */
  watch(pid: number, ended: Promise<unknown>): void
  /** Adds an interpreter until it exits, evicting an idle one if needed. Throws if all are busy. */
  addInterpreter(interpreter: Interpreter): void
  close(): void
}

/** Process that holds its session's declarations. */
export interface Interpreter {
  readonly busy: boolean
  /** Last use, as `performance.now()`. */
  readonly usedAt: number
  readonly ended: Promise<unknown>
  /** Ends it. `why` is a sentence for the model, sent with the next call. */
  evict(why: string): void
}

export interface ProcessPoolOptions {
  /** Idle time after which pipes and the watching process are released. */
  idleMs?: number
  /** Maximum interpreters at once. One more evicts the one idle longest. */
  interpreters?: number
  /** Idle time after which an interpreter is ended. */
  interpreterIdleMs?: number
}

/** Loads the process modules lazily, since most sessions never need them. */
export function createProcessPool({
  idleMs = 30_000,
  interpreters: most = 8,
  interpreterIdleMs = 10 * 60_000,
}: ProcessPoolOptions = {}): ProcessPool {
  const mark = randomBytes(9).toString('hex')
  const watched = new Set<number>()
  const interpreters = new Set<Interpreter>()
  let pipes: PipePool | undefined
  let warden: Warden | undefined
  let idle: NodeJS.Timeout | undefined
  let sweep: NodeJS.Timeout | undefined
  return {
    mark,
    async acquirePipe() {
      const { PipePool } = await import('./pipe-pool.ts')
      return (pipes ??= new PipePool(idleMs)).acquire()
    },
    watch(pid, ended) {
      watched.add(pid)
      clearTimeout(idle)
      if (warden === undefined) void hireWarden()
      else warden.watch(pid)
      const release = (): void => {
        watched.delete(pid)
        warden?.release(pid)
        restLater()
      }
      ended.then(release, release)
    },
    addInterpreter(interpreter) {
      makeRoom()
      interpreters.add(interpreter)
      const gone = (): void => void interpreters.delete(interpreter)
      interpreter.ended.then(gone, gone)
      sweepLater()
    },
    close() {
      clearTimeout(idle)
      pipes?.close()
      if (watched.size === 0) dismiss()
    },
  }

  async function hireWarden(): Promise<void> {
    const { startWarden } = await import('./warden.ts')
    if (warden !== undefined || watched.size === 0) return
    const hired = startWarden(mark, () => {
      if (warden === hired) warden = undefined
    })
    warden = hired
    for (const pid of watched) hired.watch(pid)
  }

  function restLater(): void {
    if (watched.size > 0) return
    clearTimeout(idle)
    idle = setTimeout(() => void rest(), idleMs).unref()
  }

  /** A process detached from its command is not watched by PID but can still be found by its mark. */
  async function rest(): Promise<void> {
    const { membersOf } = await import('./processes.ts')
    if (watched.size > 0) return
    if (membersOf({ mark: `${mark}.` }).length > 0) restLater()
    else dismiss()
  }

  function dismiss(): void {
    warden?.dismiss()
    warden = undefined
  }

  function makeRoom(): void {
    if (interpreters.size < most) return
    const [oldest] = [...interpreters].filter(({ busy }) => !busy).toSorted((a, b) => a.usedAt - b.usedAt)
    if (oldest === undefined)
      throw new Error(`The limit of ${most} JavaScript sessions is reached. Try again in a moment.`)
    evict(oldest, 'to make room for other chats')
  }

  function sweepLater(): void {
    sweep ??= setInterval(
      () => {
        const since = performance.now() - interpreterIdleMs
        for (const one of interpreters) if (!one.busy && one.usedAt <= since) evict(one, 'because it was idle')
        if (interpreters.size > 0) return
        clearInterval(sweep)
        sweep = undefined
      },
      Math.max(10, interpreterIdleMs / 10),
    ).unref()
  }

  function evict(one: Interpreter, why: string): void {
    interpreters.delete(one)
    one.evict(`The JavaScript session was ended ${why}. Everything declared in it is lost.`)
  }
}
