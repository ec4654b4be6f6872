import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { longestPause } from './test-tool-context.ts'

function spin(milliseconds: number): void {
  const start = process.threadCpuUsage()
  let used = 0
  while (used < milliseconds * 1000) {
    const { user, system } = process.threadCpuUsage(start)
    used = user + system
  }
}

test('work without slices is one pause', async () => {
  const { result, pauseMs } = await longestPause(async () => {
    await setImmediate()
    spin(60)
    await Promise.resolve()
    spin(60)
    return 'done'
  })
  expect(result).toBe('done')
  expect(pauseMs).toBeGreaterThanOrEqual(120)
})

test('work in slices pauses for at most one slice, and waiting does not count', async () => {
  const { pauseMs } = await longestPause(async () => {
    for (let i = 0; i < 20; i++) {
      spin(10)
      await setImmediate()
    }
    await new Promise((resolve) => setTimeout(resolve, 150))
  })
  expect(pauseMs).toBeLessThan(80)
})
