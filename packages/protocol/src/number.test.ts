import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyLog } from '../testing/arbitrary-log.ts'
import { patience, runs } from '../testing/test-effort.ts'
import { createFold, foldChunks } from './fold.ts'
import type { Chunk } from './message.ts'
import { deltaText, itemSize, joinDeltas, type LogItem, type Note, sliceDelta } from './run-log.ts'

describe('joined deltas', { timeout: patience }, () => {
  it('fold to the same message and reach the same number', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const joined = joinAll(log)
        expect(joined.length).toBeLessThanOrEqual(log.length)
        expect(size(joined)).toBe(size(log))
        expect(foldChunks(joined)).toEqual(foldChunks(log))
      }),
      runs(200),
    )
  })

  it('can be cut at every id: a client that reconnects there gets the same message', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const joined = joinAll(log)
        const whole = foldChunks(log)
        for (let n = 0; n <= size(log); n++) {
          const fold = createFold()
          for (const chunk of upTo(log, n)) fold.push(chunk)
          for (const chunk of after(joined, n)) fold.push(chunk)
          expect(fold.snapshot()).toEqual(whole)
        }
      }),
      runs(40),
    )
  })

  it('are not joined across parts, kinds or provider metadata', () => {
    const text: Chunk = { type: 'text-delta', id: '0', delta: 'a' }
    expect(joinDeltas(text, { ...text, delta: 'b' })).toEqual({ ...text, delta: 'ab' })
    expect(joinDeltas(text, { ...text, id: '1' })).toBeUndefined()
    expect(joinDeltas(text, { ...text, type: 'reasoning-delta' })).toBeUndefined()
    expect(joinDeltas(text, { ...text, providerMetadata: { a: {} } })).toBeUndefined()
    expect(joinDeltas({ ...text, providerMetadata: { a: {} } }, text)).toBeUndefined()
    const input: Chunk = { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: 'a' }
    expect(joinDeltas(input, input)).toEqual({ ...input, inputTextDelta: 'aa' })
    expect(joinDeltas(input, { ...input, toolCallId: 'd' })).toBeUndefined()
  })

  it('are not joined with an empty one, whose id would be lost', () => {
    const text: Chunk = { type: 'text-delta', id: '0', delta: 'a' }
    expect(joinDeltas(text, { ...text, delta: '' })).toBeUndefined()
    expect(joinDeltas({ ...text, delta: '' }, text)).toBeUndefined()
  })
})

describe('the size of an item', () => {
  it('is the length of a delta, one for any other chunk, zero for a private note', () => {
    expect(itemSize({ type: 'text-delta', id: '0', delta: 'four' })).toBe(4)
    expect(itemSize({ type: 'reasoning-delta', id: '0', delta: '😀' })).toBe(2)
    expect(itemSize({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' })).toBe(1)
    expect(itemSize({ type: 'text-delta', id: '0', delta: '' })).toBe(1)
    expect(itemSize({ type: 'finish' })).toBe(1)
    const notes: Note[] = [
      { type: '$step', step: 1, attempt: 1 },
      { type: '$steer', id: 's', text: 'long text' },
    ]
    for (const note of notes) expect(itemSize(note)).toBe(0)
  })

  it('does not change if a cut splits a character', () => {
    const chunk: Chunk = { type: 'text-delta', id: '0', delta: '😀' }
    expect(deltaText(sliceDelta(chunk, 1))).toBe('\ude00')
    expect(deltaText(JSON.parse(JSON.stringify(sliceDelta(chunk, 1))) as Chunk)).toBe('\ude00')
  })
})

function joinAll(log: readonly Chunk[]): Chunk[] {
  const joined: LogItem[] = []
  for (const chunk of log) {
    const last = joined.at(-1)
    const both = last === undefined ? undefined : joinDeltas(last, chunk)
    if (both === undefined) joined.push(chunk)
    else joined[joined.length - 1] = both
  }
  return joined as Chunk[]
}

function size(log: readonly Chunk[]): number {
  return log.reduce((sum, chunk) => sum + itemSize(chunk), 0)
}

function upTo(log: readonly Chunk[], n: number): Chunk[] {
  const seen: Chunk[] = []
  let number = 0
  for (const chunk of log) {
    if (number >= n) break
    number += itemSize(chunk)
    if (number <= n) seen.push(chunk)
    else seen.push(headOf(chunk, itemSize(chunk) - (number - n)))
  }
  return seen
}

function after(log: readonly Chunk[], n: number): Chunk[] {
  const sent: Chunk[] = []
  let number = 0
  for (const chunk of log) {
    const begun = number
    number += itemSize(chunk)
    if (number > n) sent.push((begun < n ? sliceDelta(chunk, n - begun) : chunk) as Chunk)
  }
  return sent
}

function headOf(chunk: Chunk, count: number): Chunk {
  const head = (deltaText(chunk) ?? '').slice(0, count)
  return (chunk.type === 'tool-input-delta' ? { ...chunk, inputTextDelta: head } : { ...chunk, delta: head }) as Chunk
}
