import type { LogItem, Part } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { buildTimeline } from './timeline.ts'

const parts = [
  { type: 'step-start' },
  { type: 'reasoning', text: 'hm hm' },
  { type: 'text', text: 'Let me look' },
  { type: 'tool-Read', toolCallId: 'c1', state: 'output-available', input: {}, output: 'x' },
  { type: 'tool-Bash', toolCallId: 'c2', state: 'output-available', input: {}, output: 'y' },
  { type: 'text', text: 'Done' },
] as Part[]

const done = (toolCallId: string, elapsedMs: number): LogItem =>
  ({ type: 'tool-output-available', toolCallId, output: '', toolMetadata: { troupe: { elapsedMs } } }) as LogItem

const log: LogItem[] = [
  { type: '$step', step: 1, attempt: 1, elapsedMs: 100 },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'an attempt that failed' },
  { type: 'reset-step' } as LogItem,
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: 'hm hm' },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Let me look' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'Read', input: {} },
  { type: 'tool-input-available', toolCallId: 'c2', toolName: 'Bash', input: {} },
  { type: '$model-end', step: 1, calls: [], finishReason: 'tool-calls', elapsedMs: 1100 },
  done('c1', 100),
  done('c2', 900),
  { type: '$step', step: 2, attempt: 1, elapsedMs: 2100 },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Done' },
  { type: '$model-end', step: 2, calls: [], finishReason: 'stop', elapsedMs: 2500 },
]

test('parts begin and end at the times of the log, and results come when their tool is done', () => {
  const { parts: times, duration } = buildTimeline(log, parts, 2600)
  expect(duration).toBe(2600)
  const [reasoning, text, read, bash, last] = [1, 2, 3, 4, 5].map((index) => times.get(index)!)
  expect(reasoning!.at).toBeGreaterThan(100)
  expect(text!.at).toBeGreaterThanOrEqual(reasoning!.until)
  expect(text!.until).toBeLessThanOrEqual(1100)
  expect(read).toMatchObject({ out: 1200 })
  expect(bash).toMatchObject({ out: 2100 })
  expect(last!.at).toBeGreaterThanOrEqual(2100)
  expect(last!.until).toBe(2500)
})

test('reasoning takes the time in the log, and the rest shares the remaining time', () => {
  const thought = log.flatMap((item): LogItem[] =>
    item.type === 'reasoning-delta'
      ? [
          item,
          { type: 'message-metadata', messageMetadata: { reasoningMs: { '1:0': 700 } } },
          { type: 'reasoning-end', id: '0' },
        ]
      : [item],
  )
  const { parts: times } = buildTimeline(thought, parts, 2600)
  const [reasoning, text] = [times.get(1)!, times.get(2)!]
  // The preceding failed attempt used part of the call's 1,000 ms too.
  expect(reasoning.until - reasoning.at).toBeGreaterThan(550)
  expect(reasoning.until - reasoning.at).toBeLessThanOrEqual(700)
  expect(text.until).toBeLessThanOrEqual(1100)
  const longer = thought.map((item) =>
    item.type === 'message-metadata' ? { ...item, messageMetadata: { reasoningMs: { '1:0': 90_000 } } } : item,
  )
  expect(buildTimeline(longer, parts, 2600).parts.get(2)!.until).toBeLessThanOrEqual(1100)
})

test('without a log, everything is replayed in order, in the duration of the answer', () => {
  const { parts: times, duration } = buildTimeline([], parts, 5000)
  expect(duration).toBe(5000)
  const all = [...times.values()]
  expect(all.every(({ at, until }, i) => until >= at && at >= (all[i - 1]?.until ?? 0))).toBe(true)
  expect(all.at(-1)?.until).toBe(5000)
})

test('a truncated log, and unknown parts, have times, too', () => {
  const { parts: times } = buildTimeline(log.slice(0, 6), parts, undefined)
  expect(times.size).toBe(parts.length)
  expect([...times.values()].every(({ at, until }) => Number.isFinite(at) && until >= at)).toBe(true)
})
