import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freeFiles, startError } from './start-process.ts'

export interface Pipe {
  output: Socket
  /** The caller closes it after passing it on. */
  write: number
}

const made = 8

/**
 * Creates real pipes. Node gives a child sockets for output, and `/dev/stdout` and `/dev/stderr` cannot be opened on a
 * socket. Creates a few named pipes at a time, opens them, and unlinks them immediately, so nothing stays on disk.
 * Closes unused pipes after a while.
 */
export class PipePool {
  readonly #idleMs: number
  readonly #ends: { read: number; write: number }[] = []
  #making: Promise<void> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  async acquire(): Promise<Pipe> {
    clearTimeout(this.#idle)
    while (this.#ends.length === 0) await (this.#making ??= this.#make().finally(() => (this.#making = undefined)))
    const { read, write } = this.#ends.pop()!
    this.#idle = setTimeout(() => this.close(), this.#idleMs).unref()
    return { output: new Socket({ fd: read, readable: true, writable: false }), write }
  }

  close(): void {
    for (const { read, write } of this.#ends.splice(0)) {
      closeSync(read)
      closeSync(write)
    }
  }

  async #make(): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'troupe-pipes-'))
    try {
      // If few file descriptors are left, leave some for the commands.
      const length = Math.max(1, Math.min(made, Math.floor(freeFiles() / 4)))
      const files = Array.from({ length }, (_, number) => path.join(folder, String(number)))
      await promisify(execFile)('mkfifo', ['-m', '600', ...files])
      for (const file of files) this.#ends.push(openPipe(file))
    } catch (error) {
      // Fewer pipes than requested are fine.
      if (this.#ends.length === 0) throw startError('A pipe for the command', error as Error)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** The read end does not wait for a writer. The write end blocks like a normal pipe. */
function openPipe(file: string): { read: number; write: number } {
  const read = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { read, write: openSync(file, constants.O_WRONLY) }
  } catch (error) {
    closeSync(read)
    throw error
  }
}
