import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchStalls } from './call-model.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function call(): { lastAt: number; onStall: () => void; stalls: number } {
  const one = { lastAt: performance.now(), stalls: 0, onStall: () => void one.stalls++ }
  return one
}

it('aborts a silent call once after its own limit, independent of others', () => {
  const [patient, hasty] = [call(), call()]
  const unwatch = [watchStalls(patient, 180_000), watchStalls(hasty, 100)]
  vi.advanceTimersByTime(90)
  expect(hasty.stalls).toBe(0)
  vi.advanceTimersByTime(40)
  expect(hasty.stalls).toBe(1)
  vi.advanceTimersByTime(170_000)
  expect(patient.stalls).toBe(0)
  vi.advanceTimersByTime(60_000)
  expect([patient.stalls, hasty.stalls]).toEqual([1, 1])
  for (const end of unwatch) end()
  expect(vi.getTimerCount()).toBe(0)
})

it('restarts the timer after each event, and leaves no timer behind', () => {
  const one = call()
  const unwatch = watchStalls(one, 100)
  for (let i = 0; i < 10; i++) {
    vi.advanceTimersByTime(80)
    one.lastAt = performance.now()
  }
  expect(one.stalls).toBe(0)
  unwatch()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(1000)
  expect(one.stalls).toBe(0)
})
