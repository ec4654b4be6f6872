import type { Part } from '@troupe/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findChartCall, waitForChart } from './actions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const shown = (toolCallId: string, title: string, state = 'output-available') => ({
  parts: [{ type: 'tool-ChartRender', toolCallId, state, input: { title, option: {} }, output: {} } as unknown as Part],
})

test('the newest visible chart with a title is used', () => {
  const messages = [shown('c1', 'Rain'), shown('c2', 'Rain'), shown('c3', 'Rain', 'output-error'), shown('c4', 'Sun')]
  expect([findChartCall(messages, 'Rain'), findChartCall(messages, 'Snow')]).toEqual(['c2', undefined])
})

test('a chart with a delayed stream is waited for, with a limit', async () => {
  let messages: ReturnType<typeof shown>[] = []
  const listeners = new Set<() => void>()
  const session = {
    messages: () => messages,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const found = waitForChart(session, 'Rain')
  const missed = waitForChart(session, 'Snow')
  messages = [shown('c1', 'Rain')]
  for (const listener of listeners) listener()
  expect(await found).toBe('c1')
  await vi.advanceTimersByTimeAsync(3000)
  expect(await missed).toBeUndefined()
  expect(listeners.size).toBe(0)
})
