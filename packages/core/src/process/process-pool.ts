import { randomBytes } from 'node:crypto'
import type { Pipe, PipePool } from './pipe-pool.ts'
import type { Warden } from './warden.ts'

/** What all sessions share that start processes, so that neither files nor processes grow with their number. */
export interface ProcessPool {
  /** Begins the `TROUPE_TASK` of everything that is started: `<mark>.<session>.<number>`. */
  readonly mark: string
  takePipe(): Promise<Pipe>
  /** Has a process group ended should our process die without a word. */
  watch(pid: number, ended: Promise<unknown>): void
  /** Makes room for one more interpreter, which is in the pool until it has ended. Throws when all are at work. */
  addInterpreter(interpreter: Interpreter): void
  /** Gives back at once what is not in use. */
  close(): void
}

/** A process that holds what its session has declared. */
export interface Interpreter {
  readonly busy: boolean
  /** When it was last at work, of `performance.now()`. */
  readonly usedAt: number
  readonly ended: Promise<unknown>
  /** Ends it. `why` is a sentence for the model, told with the next call. */
  evict(why: string): void
}

export interface ProcessPoolOptions {
  /** Pipes and the watching process that nobody has used for so long are given back. */
  idleMs?: number
  /** So many interpreters live at once; one more ends the one that has been idle for longest. */
  interpreters?: number
  /** An interpreter that nobody has used for so long ends. */
  interpreterIdleMs?: number
}

/** What starts processes is loaded when there is one: most sessions of a program never need it. */
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
    async takePipe() {
      const { PipePool } = await import('./pipe-pool.ts')
      return (pipes ??= new PipePool(idleMs)).take()
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

  /** What has detached itself from its command is not watched by its number, but still to be found by its mark. */
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
      throw new Error(`${most} JavaScript sessions are at work already, which is the limit. Try again in a moment.`)
    evict(oldest, 'to make room for those of other chats')
  }

  function sweepLater(): void {
    sweep ??= setInterval(
      () => {
        const since = performance.now() - interpreterIdleMs
        for (const one of interpreters) if (!one.busy && one.usedAt <= since) evict(one, 'because it was not used')
        if (interpreters.size > 0) return
        clearInterval(sweep)
        sweep = undefined
      },
      Math.max(10, interpreterIdleMs / 10),
    ).unref()
  }

  function evict(one: Interpreter, why: string): void {
    interpreters.delete(one)
    one.evict(`The JavaScript session was ended ${why}: everything declared in it is gone.`)
  }
}
