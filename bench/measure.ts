import type { ChildProcess } from 'node:child_process'

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

export async function rounds(count: number, work: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let i = 0; i < count; i++) values.push(await work())
  return median(values)
}

export const times = (ratio: number): string => `${ratio.toFixed(2)}x`
export const micros = (value: number): string => `${value.toFixed(1)} µs`

/** Sends a message to a measured process and waits for its reply. */
export function tell(child: ChildProcess, message: string): Promise<unknown> {
  const answer = reply(child)
  child.send(message)
  return answer
}

export function reply(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the measured process ended with ${code}`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message)
    })
  })
}
