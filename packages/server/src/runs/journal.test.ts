import type { Frame } from '@troupe/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createJournal, type Journalled } from './journal.ts'

afterEach(() => void vi.useRealTimers())

function log(runId: string): Journalled & { told: string[]; more(): void } {
  let seq = 0
  let waiting = true
  const told: string[] = []
  return {
    told,
    more: () => void (waiting = true),
    take() {
      if (!waiting) return []
      waiting = false
      return [{ runId, seq: seq++, from: 0, to: 1, items: [{ type: 'start' }] }]
    },
    written: () => void told.push('written'),
    notWritten(error) {
      waiting = true
      told.push((error as Error).message)
    },
  }
}

function frames(append: (frames: Frame[]) => Promise<void>): Parameters<typeof createJournal>[0] {
  return { frames: { append: (given: Frame[]) => append(given).then(() => []) } } as unknown as Parameters<
    typeof createJournal
  >[0]
}

describe('the journal', () => {
  it('writes within its interval, all logs in one commit', async () => {
    const commits: string[][] = []
    const written = Promise.withResolvers<void>()
    const journal = createJournal(
      frames((given) => {
        commits.push(given.map(({ runId }) => runId))
        written.resolve()
        return Promise.resolve()
      }),
      { intervalMs: 10 },
    )
    const logs = ['a', 'b', 'c'].map(log)
    for (const one of logs) journal.touch(one)
    await written.promise
    await journal.close()
    expect(commits).toEqual([['a', 'b', 'c']])
    expect(logs.map(({ told }) => told)).toEqual([['written'], ['written'], ['written']])
  })

  it('serves all requests before a write with one commit, and later ones with the next', async () => {
    const commits: number[] = []
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const journal = createJournal(
      frames(async (given) => {
        commits.push(given.length)
        begun.resolve()
        await held.promise
      }),
    )
    const [a, b, c] = ['a', 'b', 'c'].map(log) as [Journalled, Journalled, ReturnType<typeof log>]
    journal.touch(a)
    const first = journal.commit()
    journal.touch(b)
    expect(journal.commit()).toBe(first)
    await begun.promise
    journal.touch(c)
    const second = journal.commit()
    expect(second).not.toBe(first)
    expect(c.told).toEqual([])
    held.resolve()
    await second
    expect(commits).toEqual([2, 1])
    await journal.close()
  })

  it('writes a log that asks without those that can wait', async () => {
    const commits: string[][] = []
    const journal = createJournal(
      frames((given) => {
        commits.push(given.map(({ runId }) => runId))
        return Promise.resolve()
      }),
      { intervalMs: 60_000 },
    )
    const [a, b, c] = [log('a'), log('b'), log('c')]
    for (const one of [a, b, c]) journal.touch(one)
    await journal.commit(b)
    expect(commits).toEqual([['b']])
    await journal.close()
    expect(commits).toEqual([['b'], ['a', 'c']])
  })

  it('reports an error only to the log whose frame cannot be written, and retries it', async () => {
    let broken = true
    const errors: string[] = []
    const journal = createJournal(
      frames((given) =>
        broken && given.some(({ runId }) => runId === 'bad') ? Promise.reject(new Error('no')) : Promise.resolve(),
      ),
      { intervalMs: 5, onError: (error) => errors.push((error as Error).message) },
    )
    const good = log('good')
    const bad = log('bad')
    journal.touch(bad)
    journal.touch(good)
    await journal.commit()
    expect(good.told).toEqual(['written'])
    expect(bad.told).toEqual(['no'])
    expect(errors).toEqual(['no'])
    broken = false
    await vi.waitFor(() => expect(bad.told).toEqual(['no', 'written']))
    await journal.close()
  })

  it('retries less often while nothing can be written', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let tries = 0
    const journal = createJournal(frames(() => Promise.reject(new Error(`try ${++tries}`))))
    journal.touch(log('a'))
    for (let i = 0; i < 60; i++) {
      vi.advanceTimersByTime(1000)
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(tries).toBeGreaterThan(10)
    expect(tries).toBeLessThan(20)
    await journal.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('forgets a log that is dropped', async () => {
    let tries = 0
    const journal = createJournal(frames(() => Promise.reject(new Error(`try ${++tries}`))))
    const one = log('a')
    journal.touch(one)
    await journal.commit()
    journal.drop(one)
    await journal.commit()
    expect(tries).toBe(1)
    await journal.close()
  })
})
