import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freeFiles, startError } from './start-process.ts'

/** A pipe whose writing end is given to a process as a file descriptor. */
export interface Pipe {
  output: Socket
  /** To be closed by whoever gave it away. */
  write: number
}

const made = 8

/**
 * Real pipes. What Node gives a child for output is a socket, and `/dev/stdout` and `/dev/stderr` cannot be opened when
 * they are one. They are made as named pipes, a few at a time, and opened and unlinked at once: nothing stays on disk.
 * What nobody has taken for a while is closed.
 */
export class PipePool {
  readonly #idleMs: number
  readonly #ends: { read: number; write: number }[] = []
  #making: Promise<void> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  async take(): Promise<Pipe> {
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
      // Where few files are left, the commands themselves need some.
      const length = Math.max(1, Math.min(made, Math.floor(freeFiles() / 4)))
      const files = Array.from({ length }, (_, number) => path.join(folder, String(number)))
      await promisify(execFile)('mkfifo', ['-m', '600', ...files])
      for (const file of files) this.#ends.push(openPipe(file))
    } catch (error) {
      // Fewer than wanted will do.
      if (this.#ends.length === 0) throw startError('A pipe for the command', error as Error)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** The reading end does not wait for a writer; the writing end blocks like any pipe of a program. */
function openPipe(file: string): { read: number; write: number } {
  const read = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { read, write: openSync(file, constants.O_WRONLY) }
  } catch (error) {
    closeSync(read)
    throw error
  }
}
