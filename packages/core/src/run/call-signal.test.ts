import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { NamedError } from '../../../protocol/src/error.ts'
import { shutdown } from '../tool/abort-reason.ts'
import { graceMs, openCallSignal } from './tree-state.ts'

const write = { readOnly: false, recover: 'error' } as const
const read = { readOnly: true, recover: 'rerun' } as const

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('is the run’s own signal if nothing is added', () => {
  const { signal } = new AbortController()
  expect(openCallSignal(read, signal).signal).toBe(signal)
})

it('gives a write some time at shutdown, and no more', () => {
  const run = new AbortController()
  const call = openCallSignal(write, run.signal)
  run.abort(shutdown)
  vi.advanceTimersByTime(graceMs - 1)
  expect(call.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(call.signal.reason).toBe(shutdown)
})

it('ends a write at once when the user stops it', () => {
  const run = new AbortController()
  const call = openCallSignal(write, run.signal)
  run.abort(new NamedError('Stopped', 'Stopped.'))
  expect(call.signal.aborted).toBe(true)
})

it('ends repeatable calls at once at shutdown', () => {
  const run = new AbortController()
  const call = openCallSignal({ ...read, timeout: 1000 }, run.signal)
  run.abort(shutdown)
  expect(call.signal.aborted).toBe(true)
})

it('ends at the time limit, in which waiting does not count', () => {
  const call = openCallSignal({ ...write, timeout: 1000 }, new AbortController().signal)
  vi.advanceTimersByTime(600)
  call.pause()
  call.pause()
  vi.advanceTimersByTime(10_000)
  call.resume()
  vi.advanceTimersByTime(10_000)
  call.resume()
  vi.advanceTimersByTime(399)
  expect(call.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect((call.signal.reason as Error).message).toBe('Timed out after 1 s. The tool call was canceled.')
})

it('leaves no timer behind', () => {
  const run = new AbortController()
  const call = openCallSignal({ ...write, timeout: 1000 }, run.signal)
  run.abort(shutdown)
  call.clear()
  expect(vi.getTimerCount()).toBe(0)
})
