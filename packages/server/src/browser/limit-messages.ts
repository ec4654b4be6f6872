import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Readable } from 'node:stream'

/** Far more than anything that is asked of a browser. */
const maxMessageBytes = 100_000_000
const spawnChannel = 'child_process'

/**
 * What pages say (in their console, in errors, in sockets) comes to us as messages of any size, and one that is longer
 * than a string can be ends our process: a browser that begins such a message is ended first. `mark` stands in the
 * arguments of the process that `launch` starts, which writes its messages to the fifth of its streams.
 */
export async function limitMessages<T extends { close(): Promise<void> }>(
  mark: string,
  launch: () => Promise<T>,
  most = maxMessageBytes,
): Promise<T> {
  const children: ChildProcess[] = []
  const hear = (message: unknown): void => void children.push((message as { process: ChildProcess }).process)
  subscribe(spawnChannel, hear)
  try {
    const launched = await launch()
    const child = children.find(({ spawnargs }) => spawnargs?.some((argument) => argument.includes(mark)))
    if (child !== undefined) {
      killOnOversizedMessage(child, most)
      return launched
    }
    await launched.close()
    throw new Error('its process was not found')
  } finally {
    unsubscribe(spawnChannel, hear)
  }
}

/** Messages end with a zero. */
function killOnOversizedMessage(child: ChildProcess, most: number): void {
  let length = 0
  const messages = child.stdio[4] as Readable
  messages.on('data', (bytes: Buffer) => {
    const end = bytes.lastIndexOf(0)
    length = end < 0 ? length + bytes.length : bytes.length - end - 1
    if (length <= most) return
    messages.destroy()
    child.kill('SIGKILL')
  })
}
