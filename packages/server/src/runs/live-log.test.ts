import type { Store } from '@troupe/core'
import { type Chunk, deltaText, type Frame } from '@troupe/protocol'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Sink } from '../http/route.ts'
import { createTestSink, parseEvents } from '../testing/open-runs.ts'
import { createJournal, type Journal } from './journal.ts'
import { createLiveLog, type LiveLog, numberJump } from './live-log.ts'
import type { LogEvent } from './subscriber.ts'

const full = process.env['TROUPE_TEST_FULL'] === '1'

function memoryFrames(): { store: Pick<Store, 'frames'>; fail(now: boolean): void; pages: number[] } {
  const rows: string[] = []
  const pages: number[] = []
  let failing = false
  const frames = {
    async append(given: Frame[]) {
      // Simulates a slow disk, so much happens during a write.
      for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve))
      if (failing) throw new Error('database or disk is full')
      rows.push(...given.map((frame) => JSON.stringify(frame)))
      return []
    },
    async read(runId: string, after = -1, limit = Infinity) {
      // Slow, too, so that frames are written between the request and the read.
      for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve))
      const found = rows
        .map((row) => JSON.parse(row) as Frame)
        .filter((frame) => frame.runId === runId && frame.to > after)
      const page = found.toSorted((a, b) => a.seq - b.seq).slice(0, limit)
      pages.push(page.length)
      return page
    },
    merge: () => Promise.resolve(),
  }
  return { store: { frames }, pages, fail: (now) => void (failing = now) }
}

/** Maps every used number to its content: one character of a delta, or a whole chunk. Throws if one comes twice. */
function units(events: readonly LogEvent[]): Map<number, string> {
  const found = new Map<number, string>()
  const add = (number: number, unit: string): void => {
    if (found.has(number)) throw new Error(`${number} was sent twice`)
    found.set(number, unit)
  }
  for (const { number, chunk } of events) {
    const text = deltaText(chunk)
    if (text === undefined || text === '') add(number, JSON.stringify(chunk))
    else for (let i = 0; i < text.length; i++) add(number - text.length + 1 + i, `${chunk.type} ${text[i]}`)
  }
  return found
}

function after(all: Map<number, string>, number: number): [number, string][] {
  return [...all].filter(([n]) => n > number)
}

const sample: Chunk[] = [
  { type: 'start', messageId: 'm1' },
  { type: 'start-step' },
  { type: 'text-start', id: '0' },
  ...['Hel', 'lo', ' wor', 'ld 🦊'].map((delta): Chunk => ({ type: 'text-delta', id: '0', delta })),
  { type: 'text-delta', id: '0', delta: '' },
  { type: 'text-end', id: '0' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'Look' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"a":' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '1}' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'Look', input: { a: 1 } },
  { type: 'finish' },
]

function open(
  journal?: (store: Pick<Store, 'frames'>) => Journal,
): { log: LiveLog; journal: Journal } & ReturnType<typeof memoryFrames> {
  const frames = memoryFrames()
  const opened = (journal ?? createJournal)(frames.store)
  return {
    ...frames,
    journal: opened,
    log: createLiveLog({ runId: 'r1', store: frames.store, journal: opened, from: 10 }),
  }
}

async function readAll(log: LiveLog, from: number): Promise<LogEvent[]> {
  const sink = createTestSink()
  log.subscribe(sink, { after: from })
  await sink.ended
  return sink.events
}

describe('the log of a live run', () => {
  it('gives a client that reconnects at any id exactly the missed events', async () => {
    for (const commitAt of [[], [3], [5, 9], [...sample.keys()]]) {
      const { log, journal } = open()
      const early = createTestSink()
      log.subscribe(early, { after: 10 })
      for (const [i, chunk] of sample.entries()) {
        log.append(chunk)
        log.note({ type: '$repair', toolCallId: 'c1', before: '', after: '' })
        if (commitAt.includes(i)) await journal.commit()
      }
      await log.sync()
      log.end()
      await early.ended
      const all = units(early.events)
      expect(all.size).toBe(log.number - 10)
      for (let number = 10; number <= log.number; number++) {
        expect([...units(await readAll(log, number))], `after ${number}`).toEqual(after(all, number))
      }
      await journal.close()
    }
  })

  it('sends the end of an answer only once it is stored, or cannot be', async () => {
    const { log, journal, fail } = open()
    const sink = createTestSink()
    log.subscribe(sink, { after: 10 })
    for (const chunk of sample) log.append(chunk)
    await vi.waitFor(() => expect(sink.events.at(-1)?.chunk.type).toBe('tool-input-available'))
    await log.sync()
    await vi.waitFor(() => expect(sink.events.at(-1)?.chunk.type).toBe('finish'))
    fail(true)
    log.append({ type: 'finish' })
    await expect(log.sync()).rejects.toMatchObject({ name: 'NotStored' })
    log.append({ type: 'error', errorText: 'not saved' })
    log.end()
    await sink.ended
    expect(sink.events.slice(-2).map(({ chunk }) => chunk.type)).toEqual(['finish', 'error'])
    await journal.close()
  })

  it('sends each event once to a client that joins while the journal is written', async () => {
    const { log, journal, store } = open()
    for (const chunk of sample.slice(0, 5)) log.append(chunk)
    await journal.commit()
    const read = store.frames.read
    store.frames.read = async (...query) => {
      store.frames.read = read
      for (const chunk of sample.slice(5)) log.append(chunk)
      await journal.commit()
      return read(...query)
    }
    const sink = createTestSink()
    log.subscribe(sink, { after: 10 })
    await vi.waitFor(() => expect(sink.events.at(-1)?.chunk.type).toBe('finish'))
    expect(units(sink.events).size).toBe(log.number - 10)
    log.end()
    await journal.close()
  })

  it('loses and duplicates nothing, for any clients and journal failures', async () => {
    type Step =
      | { kind: 'append'; text: string }
      | { kind: 'other' | 'tick' | 'commit' | 'begin' | 'join' | 'slow' | 'drain' | 'fail' | 'mend' }
    const kinds = ['other', 'tick', 'commit', 'begin', 'join', 'slow', 'drain', 'fail', 'mend'] as const
    const step: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('append' as const), text: fc.string({ minLength: 1, maxLength: 6 }) }),
      },
      { weight: 6, arbitrary: fc.constantFrom(...kinds).map((kind) => ({ kind })) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 80 }),
        fc.infiniteStream(fc.nat()),
        async (steps, random) => {
          const { log, journal, fail } = open((store) => createJournal(store, { intervalMs: 1 }))
          const watcher = createTestSink()
          log.subscribe(watcher, { after: 10 })
          const clients: { from: number; sink: ReturnType<typeof slowSink> }[] = []
          for (const { kind, ...rest } of steps) {
            if (kind === 'append') log.append({ type: 'text-delta', id: '0', delta: (rest as { text: string }).text })
            else if (kind === 'other') log.append({ type: 'data-x', data: clients.length } as Chunk)
            else if (kind === 'tick') await new Promise((resolve) => setImmediate(resolve))
            else if (kind === 'commit') await journal.commit()
            else if (kind === 'begin') void journal.commit()
            else if (kind === 'fail' || kind === 'mend') fail(kind === 'fail')
            else if (kind === 'drain') for (const { sink } of clients) sink.drain()
            else {
              const from = 10 + ((random.next().value as number) % (log.number - 9))
              const sink = slowSink(kind === 'slow' ? 1 : Infinity)
              clients.push({ from, sink })
              log.subscribe(sink, { after: from })
            }
          }
          fail(false)
          await log.sync()
          log.end()
          await watcher.ended
          const all = units(watcher.events)
          for (const { from, sink } of clients) {
            while (!sink.isEnded()) {
              sink.drain()
              await new Promise((resolve) => setImmediate(resolve))
            }
            const numbers = sink.events.map(({ number }) => number)
            expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
            expect([...units(sink.events)]).toEqual(after(all, from))
            expect(sink.events.reduce((sum, { chunk }) => sum + (deltaText(chunk)?.length || 1), 0)).toBe(
              after(all, from).length,
            )
          }
          await journal.close()
        },
      ),
      { numRuns: full ? 1000 : 100 },
    )
  })

  it('buffers at most about 1 MiB for a client that reads nothing, and sends it everything later', async () => {
    const { log, journal, pages } = open()
    const sink = slowSink(1 << 20)
    log.subscribe(sink, { after: 10 })
    const piece = 'x'.repeat(1000)
    for (let i = 0; i < 20_000; i++) {
      log.append({ type: 'text-delta', id: '0', delta: piece })
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await log.sync()
    expect(sink.largest()).toBeLessThan(1.2 * (1 << 20))
    log.end()
    while (!sink.isEnded()) {
      sink.drain()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(sink.largest()).toBeLessThan(1.2 * (1 << 20))
    const text = sink.events.map(({ chunk }) => deltaText(chunk)).join('')
    expect(text.length).toBe(20_000_000)
    expect(Math.max(...pages)).toBeLessThanOrEqual(4)
    await journal.close()
  })

  it.each(['live', 'late'])(
    'sends a %s client nothing that is further beyond the journal than ids jump after a crash',
    async (who) => {
      const { log, journal, fail } = open()
      const sink = createTestSink()
      if (who === 'live') log.subscribe(sink, { after: 10 })
      fail(true)
      const piece = 'y'.repeat(100_000)
      for (let i = 0; i < 30; i++) {
        log.append({ type: 'text-delta', id: '0', delta: piece })
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (who === 'late') log.subscribe(sink, { after: 10 })
      expect(sink.events.at(-1)?.number).toBeGreaterThan(10 + numberJump - 200_000)
      expect(sink.events.at(-1)?.number).toBeLessThanOrEqual(10 + numberJump)
      fail(false)
      await log.sync()
      await vi.waitFor(() => expect(sink.events.at(-1)?.number).toBe(log.number))
      expect(sink.events.map(({ chunk }) => deltaText(chunk)).join('').length).toBe(3_000_000)
      log.end()
      await sink.ended
      await journal.close()
    },
  )

  it('reports to writers that it cannot be written', async () => {
    const { log, journal, fail } = open()
    fail(true)
    log.append({ type: 'start' })
    await expect(log.sync()).rejects.toMatchObject({
      name: 'NotStored',
      status: 507,
      message: expect.stringContaining('disk is full') as string,
    })
    fail(false)
    await log.sync()
    log.end()
    expect((await readAll(log, 10)).map(({ chunk }) => chunk.type)).toEqual(['start'])
    await journal.close()
  })

  it('ends a stream that ends at an ask, and another one continues from there', async () => {
    const { log, journal } = open()
    const first = createTestSink()
    const holding = createTestSink()
    log.subscribe(first, { after: 10, untilWaiting: true })
    log.subscribe(holding, { after: 10 })
    log.append({ type: 'start' })
    log.setWaiting(true)
    await first.ended
    expect(holding.isEnded()).toBe(false)
    log.setWaiting(false)
    const second = createTestSink()
    log.subscribe(second, { after: log.number, untilWaiting: true })
    log.append({ type: 'finish' })
    await log.sync()
    log.end()
    await Promise.all([second.ended, holding.ended])
    expect(first.chunks().map(({ type }) => type)).toEqual(['start'])
    expect(second.chunks().map(({ type }) => type)).toEqual(['finish'])
    expect(holding.chunks().map(({ type }) => type)).toEqual(['start', 'finish'])
    await journal.close()
  })

  it('accepts nothing after its end, and reports when it has no readers', async () => {
    const { log, journal } = open()
    log.append({ type: 'finish' })
    await log.sync()
    const sink = slowSink(1)
    log.subscribe(sink, { after: 10 })
    let unread = false
    void log.unread().then(() => (unread = true))
    log.end()
    const { number } = log
    log.append({ type: 'data-late', data: 1 } as Chunk)
    log.note({ type: '$steer', id: 's', text: 'late' })
    expect(log.number).toBe(number)
    await new Promise((resolve) => setImmediate(resolve))
    expect(unread).toBe(false)
    while (!sink.isEnded()) {
      sink.drain()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await log.unread()
    expect(sink.events.map(({ chunk }) => chunk.type)).toEqual(['finish'])
    await journal.close()
  })

  it('drops a client whose connection throws, and continues with the others', async () => {
    const { log, journal } = open()
    const broken = {
      ...createTestSink(),
      write: (): number => {
        throw new Error('the socket is gone')
      },
    }
    const sink = createTestSink()
    log.subscribe(broken, { after: 10 })
    log.subscribe(sink, { after: 10 })
    log.append({ type: 'start' })
    await vi.waitFor(() => expect(sink.events).toHaveLength(1))
    log.append({ type: 'finish' })
    await log.sync()
    log.end()
    await log.unread()
    expect(sink.events).toHaveLength(2)
    await journal.close()
  })

  it('sends nothing to disconnected clients', async () => {
    const { log, journal } = open()
    const sink = createTestSink()
    const detach = log.subscribe(sink, { after: 10 })
    log.append({ type: 'start' })
    await vi.waitFor(() => expect(sink.events).toHaveLength(1))
    detach()
    log.append({ type: 'finish' })
    await log.sync()
    log.end()
    await log.unread()
    expect(sink.events).toHaveLength(1)
    expect(sink.isEnded()).toBe(false)
    await journal.close()
  })
})

/** Reports all bytes as buffered until drained. */
function slowSink(
  capacity: number,
): Sink & { events: LogEvent[]; drain(): void; isEnded(): boolean; largest(): number } {
  const events: LogEvent[] = []
  let waiting = 0
  let largest = 0
  let onDrain: (() => void) | undefined
  let ended = false
  return {
    events,
    isEnded: () => ended,
    largest: () => largest,
    write(text) {
      events.push(...parseEvents(text))
      waiting += text.length
      largest = Math.max(largest, waiting)
      // The subscriber pauses above 1 MiB. A sink with less capacity reports that much.
      return waiting > capacity ? Math.max(waiting, (1 << 20) + 1) : waiting
    },
    onDrain: (callback) => void (onDrain = callback),
    drain() {
      waiting = 0
      const callback = onDrain
      onDrain = undefined
      callback?.()
    },
    cut: () => undefined,
    end: () => void (ended = true),
  }
}
