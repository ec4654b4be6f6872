import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { NamedError } from '@troupe/protocol'
import { ended, givenUp, type Packed, unpacked } from './file-answers.ts'

export interface FileRequest {
  id: number
  /** A synchronous function of `node:fs`. */
  name: string
  args: unknown[]
  /** Nobody waits for the result. Only the end is reported. */
  isCheck: boolean
}
export type FileAnswer = { id: number } & ({ value: Packed } | { error: object })
export interface FileThreadData {
  answers: MessagePort
  state: Int32Array
  mount: string
}

/** A thread may take this long to start on a busy machine. */
const startMs = 10_000

/** The folder did not answer in time. */
export class SlowFolder extends NamedError {
  /** As from the file system, so that code without knowledge of this class names the reason. */
  readonly code = 'ETIMEDOUT'
  constructor(folder: string) {
    const text = 'This folder does not respond. Check the drive or the network, then try again.'
    super('FolderSlow', text, { status: 503, data: { path: folder } })
  }
}

export interface FileThreadOptions {
  /** A path that is looked at to see if the mount still answers. */
  mount: string
  limitMs: number
  /** For tests. */
  script?: URL
  onHang?(isHanging: boolean): void
  onExit?(): void
}

/** Makes the file calls of one mount on a separate thread. If one hangs, its caller waits for a limited time only. */
export class FileThread {
  /** True from a call that passed the limit until it ends. */
  isHanging = false
  readonly #options: FileThreadOptions
  readonly #worker: Worker
  readonly #answers: MessagePort
  readonly #state = new Int32Array(new SharedArrayBuffer(8))
  readonly #checks = new Map<number, () => void>()
  #lastId = 0
  #hanging = rejectable()

  constructor(options: FileThreadOptions) {
    this.#options = options
    const { port1, port2 } = new MessageChannel()
    this.#answers = port1
    this.#state[ended] = -1
    const workerData: FileThreadData = { answers: port2, state: this.#state, mount: options.mount }
    const script = options.script ?? new URL('./file-worker.ts', import.meta.url)
    this.#worker = new Worker(script, { workerData, transferList: [port2], env: {}, trackUnmanagedFds: false })
    this.#worker.unref()
    this.#worker.on('message', (id: number) => this.#onEnd(id))
    this.#worker.on('error', () => this.#giveUp())
    this.#worker.on('exit', () => options.onExit?.())
    Atomics.wait(this.#state, ended, -1, startMs)
  }

  /** Blocks until the result is there. Throws the error of the call, or `SlowFolder`. */
  call(name: string, args: unknown[]): unknown {
    if (this.isHanging) throw new SlowFolder(this.#options.mount)
    const id = this.#post(name, args, false)
    const until = performance.now() + this.#options.limitMs
    for (let last = Atomics.load(this.#state, ended); last !== id; last = Atomics.load(this.#state, ended)) {
      const left = until - performance.now()
      if (left > 0) {
        Atomics.wait(this.#state, ended, last, left)
        continue
      }
      Atomics.store(this.#state, givenUp, id)
      // A call that ended before it was given up reports no end.
      if (Atomics.load(this.#state, ended) === id) break
      this.#giveUp()
      throw new SlowFolder(this.#options.mount)
    }
    for (;;) {
      const answer = receiveMessageOnPort(this.#answers)?.message as FileAnswer | undefined
      if (answer === undefined) throw new SlowFolder(this.#options.mount)
      if (answer.id !== id) continue
      if ('error' in answer) throw Object.assign(new Error(), answer.error)
      return unpacked(answer.value)
    }
  }

  /** Starts a call without waiting for its end. */
  start(name: string, args: unknown[]): void {
    this.#post(name, args, true)
  }

  /** Runs asynchronous work on the mount. Rejects with `SlowFolder` as soon as the mount is known to hang. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.check()
    const watch = setInterval(() => void this.check().catch(() => undefined), this.#options.limitMs)
    try {
      return await Promise.race([work(), this.#hanging.promise])
    } finally {
      clearInterval(watch)
    }
  }

  /** Rejects with `SlowFolder` if the mount does not answer in time. */
  async check(): Promise<void> {
    if (this.isHanging) throw new SlowFolder(this.#options.mount)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#checks.set(this.#post('existsSync', [this.#options.mount], true), resolve)
    const timer = setTimeout(() => this.#giveUp(), this.#options.limitMs)
    try {
      await Promise.race([promise, this.#hanging.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  close(): Promise<unknown> {
    return this.#worker.terminate()
  }

  #post(name: string, args: unknown[], isCheck: boolean): number {
    const request: FileRequest = { id: ++this.#lastId, name, args, isCheck }
    this.#worker.postMessage(request)
    return request.id
  }

  #giveUp(): void {
    this.isHanging = true
    this.#options.onHang?.(true)
    this.#hanging.reject(new SlowFolder(this.#options.mount))
  }

  /** A check ended, or a call that was given up. */
  #onEnd(id: number): void {
    this.#checks.get(id)?.()
    this.#checks.delete(id)
    if (!this.isHanging) return
    this.isHanging = false
    this.#options.onHang?.(false)
    this.#hanging = rejectable()
  }
}

function rejectable(): PromiseWithResolvers<never> {
  const made = Promise.withResolvers<never>()
  made.promise.catch(() => undefined)
  return made
}
