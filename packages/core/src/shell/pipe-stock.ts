import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { AgentState } from '../agent-state.ts'

/** A pipe whose writing end is given to a process as a file descriptor. */
export interface Pipe {
  output: Socket
  /** To be closed by whoever gave it away. */
  write: number
}

const made = 16
const name = 'pipes'

/**
 * Real pipes. What Node gives a child for output is a socket, and `/dev/stdout` and `/dev/stderr` cannot be opened when
 * they are one. They are made as named pipes, a few at a time, and opened and unlinked at once: nothing stays on disk.
 */
export class PipeStock {
  private readonly ends: { read: number; write: number }[] = []
  private making: Promise<void> | undefined
  private disposed = false

  /** The stock of an agent; ended with its state. */
  static of(state: Pick<AgentState, 'kept'>): PipeStock {
    const known = state.kept.get(name)
    if (known instanceof PipeStock) return known
    const stock = new PipeStock()
    state.kept.set(name, stock)
    return stock
  }

  async take(): Promise<Pipe> {
    while (this.ends.length === 0) {
      if (this.disposed) throw new Error('The session is over; nothing can be started in it any more.')
      await (this.making ??= this.make().finally(() => (this.making = undefined)))
    }
    const { read, write } = this.ends.pop()!
    return { output: new Socket({ fd: read, readable: true, writable: false }), write }
  }

  dispose(): void {
    this.disposed = true
    for (const { read, write } of this.ends.splice(0)) {
      closeSync(read)
      closeSync(write)
    }
  }

  private async make(): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'troupe-pipes-'))
    try {
      const files = Array.from({ length: made }, (_, number) => path.join(folder, String(number)))
      await promisify(execFile)('mkfifo', ['-m', '600', ...files])
      // The reading end does not wait for a writer; the writing end blocks like any pipe of a program.
      for (const file of files) {
        const read = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
        this.ends.push({ read, write: openSync(file, constants.O_WRONLY) })
      }
    } catch (error) {
      throw new Error(`No pipe could be made for a command: ${(error as Error).message}`, { cause: error })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    if (this.disposed) this.dispose()
  }
}
