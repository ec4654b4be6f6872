import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { anyJsonObject } from '../../../protocol/testing/arbitrary-json.ts'
import type { InstantEvent, ResetEvent } from '../json/path.ts'
import { type OutputProblem, retryText } from './ensure.ts'
import { outputSchema } from './output-schema.ts'
import type { HandlerContext, OutputStreamOptions } from './output-stream-types.ts'
import { createOutputStream } from './output-stream.ts'

const source = z.object({
  summary: z.string(),
  items: z.array(z.object({ title: z.string(), score: z.number().optional() })),
  note: z.string().optional(),
})
type Input = z.input<typeof source>

const good = '{"summary": "all is well", "items": [{"title": "one", "score": 1}, {"title": "two"}], "extra": {"x": 1}}'

function open(options: Partial<OutputStreamOptions<Input>> = {}) {
  return createOutputStream<Input>({ schema: outputSchema(source), ...options })
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const event of events) all.push(event)
  return all
}

async function taken<T>(events: AsyncIterator<T>, count: number): Promise<T[]> {
  const all: T[] = []
  while (all.length < count) all.push((await events.next()).value as T)
  return all
}

describe('key', () => {
  test('returns a value as soon as it is complete, while the answer continues', async () => {
    const stream = open()
    const title = stream.key('items[1].title')
    stream.write('{"items": [{"title": "one"}, {"title": "tw')
    stream.write('o"')
    expect(await title).toBe('two')
    stream.write('}], "summary": "s"}')
    expect(await stream.key('summary')).toBe('s')
  })

  test('returns existing values to late readers, even after the end', async () => {
    const stream = open()
    stream.write(good)
    expect(await stream.key('items[0].score')).toBe(1)
    stream.close()
    expect(await stream.key('items')).toEqual([{ title: 'one', score: 1 }, { title: 'two' }])
    expect(await stream.key('items[*].title')).toBe('one')
    expect(await stream.key('')).toHaveProperty('extra')
  })

  test('does not give a value that is still being written', async () => {
    const stream = open()
    stream.write('{"summary": "all')
    const seen: unknown[] = []
    void stream.key('summary').then((value) => seen.push(value))
    await setImmediate()
    expect(seen).toEqual([])
    stream.write('"')
    await setImmediate()
    expect(seen).toEqual(['all'])
  })

  test('outside the schema is rejected with a list of valid keys', async () => {
    const onReader = vi.fn<() => void>()
    const stream = open({ onReader })
    await expect(stream.key('sumary' as 'summary')).rejects.toMatchObject({
      name: 'KeyNotInSchema',
      data: { path: 'sumary', known: ['summary', 'items', 'items[*]', 'items[*].title', 'items[*].score', 'note'] },
    })
    expect(() => stream.when('items.title' as 'summary', () => undefined)).toThrow('has no "items.title"')
    expect(() => stream.waitKeys(['summary', 'x' as 'summary'])).toThrow('has no "x"')
    expect(onReader).not.toHaveBeenCalled()
  })

  test('need not be in the prompt with mustInPrompt: false', async () => {
    const stream = open()
    stream.write(good)
    expect(await stream.key('extra.x', { mustInPrompt: false })).toBe(1)
    expect(await stream.key('extra/x', { mustInPrompt: false })).toBe(1)
  })

  test('that never arrived is an error, or undefined on request', async () => {
    const stream = open()
    const never = stream.key('note')
    const maybe = stream.key('note', { optional: true })
    stream.write(good)
    stream.close()
    await expect(never).rejects.toMatchObject({ name: 'KeyNeverArrived', data: { path: 'note' } })
    expect(await maybe).toBeUndefined()
    await expect(stream.key('items[7].title')).rejects.toThrow('The answer ended without "items[7].title"')
    expect(await stream.key('items[7].title', { optional: true })).toBeUndefined()
  })

  test('needs a schema', async () => {
    const stream = createOutputStream<Input>({})
    await expect(stream.key('summary')).rejects.toMatchObject({ name: 'OutputSchemaMissing' })
    expect(() => stream.waitKeys(['summary'])).toThrow('Without an output schema')
    expect(() => stream.when('summary', () => undefined)).toThrow('Without an output schema')
    await expect(stream.startWaiter()).rejects.toMatchObject({ name: 'OutputSchemaMissing' })
    stream.write('{"a": 1}')
    stream.close()
    expect(await collect(stream.instant())).toHaveLength(3)
  })

  test('starts a lazy run, as all readers but handlers do', async () => {
    const onReader = vi.fn<() => void>()
    const stream = open({ onReader })
    stream.when('summary', () => undefined)
    expect(onReader).toHaveBeenCalledTimes(0)
    void stream.key('summary')
    void stream.waitKeys(['summary'])
    void stream.instant()
    void stream.startWaiter()
    expect(onReader).toHaveBeenCalledTimes(4)
    stream.write(good)
    stream.close()
    await stream.settled()
  })
})

describe('waitKeys', () => {
  test('yields values in order of arrival and ends when all have arrived', async () => {
    const stream = open()
    const keys = stream.waitKeys(['items[*].title', 'summary'])
    stream.write('{"items": [{"title": "one"}, {"title": "two"}], "summary": "s", "note": "not yet')
    expect((await collect(keys)).map(({ key, path, value, indexes }) => [key, path, value, indexes])).toEqual([
      ['items[*].title', 'items[0].title', 'one', [0]],
      ['items[*].title', 'items[1].title', 'two', [1]],
      ['summary', 'summary', 's', []],
    ])
  })

  test('throws for a key that never arrived, after the others', async () => {
    const stream = open()
    const keys = stream.waitKeys(['summary', 'note', 'items[*].score'])
    stream.write('{"summary": "s", "items": []}')
    stream.close()
    expect(await keys.next()).toMatchObject({
      value: { key: 'summary', value: 's', completion: 'observed', attempt: 1 },
    })
    await expect(keys.next()).rejects.toMatchObject({ name: 'KeyNeverArrived', data: { path: 'note' } })
    expect(await keys.next()).toEqual({ value: undefined, done: true })
    expect(await collect(stream.waitKeys(['note', 'items[*]'], { optional: true }))).toEqual([])
  })

  test('continues with the next attempt, and reports the reset on request', async () => {
    const stream = open()
    const plain = collect(stream.waitKeys(['summary', 'note'], { optional: true }))
    const told = collect(stream.waitKeys(['summary', 'note'], { optional: true, resets: true }))
    stream.write('{"summary": "bad", "items": []}')
    stream.end()
    stream.reset('try again')
    stream.write('{"summary": "good", "items": []}')
    stream.close()
    expect((await plain).map(({ value, attempt }) => [value, attempt])).toEqual([
      ['bad', 1],
      ['good', 2],
    ])
    expect((await told).map((event) => (event.type === 'reset' ? [event.reason, event.attempt] : event.value))).toEqual(
      ['bad', ['try again', 2], 'good'],
    )
  })

  test('stops for a reader that leaves, and continues for the others', async () => {
    const stream = open()
    const both = [stream.waitKeys(['items[*].title']), stream.waitKeys(['items[*].title'])] as const
    stream.write('{"items": [{"title": "one"}')
    for await (const event of both[0]) {
      expect(event.value).toBe('one')
      break
    }
    stream.write(', {"title": "two"}]')
    expect((await collect(both[1])).map(({ value }) => value)).toEqual(['one', 'two'])
    expect(await both[0].next()).toEqual({ value: undefined, done: true })
  })
})

describe('when', () => {
  test('handlers run while the answer continues, and are awaited', async () => {
    const stream = open()
    const begun: string[] = []
    const gate = Promise.withResolvers<void>()
    stream
      .when('items[*]', async (item, { indexes, path }) => {
        begun.push(item.title)
        await gate.promise
        return `${path} ${item.title} ${indexes[0]}`
      })
      .when('summary', (summary) => summary.length)
    stream.write('{"items": [{"title": "one"},')
    expect(begun).toEqual(['one'])
    stream.write('{"title": "two"}], "summary": "four"}')
    expect(begun).toEqual(['one', 'two'])
    stream.close()
    const waiter = stream.startWaiter()
    gate.resolve()
    expect((await waiter).map(({ key, path, value, result }) => [key, path, value, result])).toEqual([
      ['items[*]', 'items[0]', { title: 'one' }, 'items[0] one 0'],
      ['items[*]', 'items[1]', { title: 'two' }, 'items[1] two 1'],
      ['summary', 'summary', 'four', 4],
    ])
  })

  test('an error in a handler is thrown at once and at the end, and stops no other reader', async () => {
    const onHandlerError = vi.fn<(error: unknown) => void>()
    const stream = open({ onHandlerError })
    const error = new Error('no room for one')
    stream.when('items[0].title', () => {
      throw error
    })
    stream.write('{"items": [{"title": "one"}')
    await setImmediate()
    expect(onHandlerError).toHaveBeenCalledExactlyOnceWith(error)
    stream.write('], "summary": "s"}')
    stream.close()
    expect(await stream.key('summary')).toBe('s')
    await expect(stream.startWaiter()).rejects.toBe(error)
    await expect(stream.settled()).rejects.toBe(error)
  })

  test('several errors surface together', async () => {
    const stream = open()
    stream.when('items[*]', (item) => Promise.reject(new Error(item.title)))
    stream.write(good)
    stream.close()
    const failure = (await stream.settled().catch((error: unknown) => error)) as AggregateError
    expect(failure.errors.map(String)).toEqual(['Error: one', 'Error: two'])
  })

  test('having nothing to wait for is an error', async () => {
    await expect(open().startWaiter()).rejects.toMatchObject({ name: 'NoHandlers' })
  })

  test('results of handlers from a dropped attempt do not count, and those handlers are aborted', async () => {
    const stream = open()
    const contexts: HandlerContext[] = []
    stream.when('summary', (summary, context) => {
      contexts.push(context)
      if (summary === 'good') return summary
      return new Promise((_, reject) => {
        context.signal.addEventListener('abort', () => reject(context.signal.reason as Error))
      })
    })
    stream.write('{"summary": "bad"}')
    stream.reset('try again')
    stream.write('{"summary": "good"}')
    stream.close()
    expect(contexts.map(({ attempt, signal }) => [attempt, signal.aborted])).toEqual([
      [1, true],
      [2, false],
    ])
    expect(await stream.startWaiter()).toMatchObject([{ value: 'good', result: 'good' }])
  })

  test('a late handler is called for existing values', async () => {
    const stream = open()
    stream.write(good)
    stream.close()
    stream.when('items[*].title', (title) => title.toUpperCase())
    expect((await stream.startWaiter()).map(({ result }) => result)).toEqual(['ONE', 'TWO'])
  })

  test('a handler can wait for more keys, and gets each value once', async () => {
    const stream = open()
    const seen: string[] = []
    stream.when('items[0].title', async () => {
      stream.when('items[*].title', (title) => seen.push(title))
      for await (const event of stream.instant()) if (event.type === 'value') seen.push(`${event.path} ${event.delta}`)
    })
    // The first block has no field of the schema. The second becomes visible with its first title.
    stream.write('{"a": 1} {"b": 2, "items": [{"title": "one"}], "summary": "s"}')
    stream.close()
    await stream.settled()
    expect(seen.filter((line) => line.includes('one'))).toEqual(['one', 'items[0].title one'])
  })
})

describe('instant', () => {
  test('all readers get the same events, regardless of when they start', async () => {
    const stream = open()
    const early = stream.instant()
    stream.write('{"summary": "all ')
    const middle = stream.instant()
    stream.write('is well", "items": [')
    stream.write('{"title": "one"}]}')
    stream.close()
    const adds = async (events: AsyncIterable<InstantEvent | ResetEvent>): Promise<unknown> =>
      addUp(await collect(events))
    const expected = {
      '': ['', true],
      summary: ['all is well', true],
      items: ['', true],
      'items[0]': ['', true],
      'items[0].title': ['one', true],
    }
    expect(await adds(early)).toEqual(expected)
    expect(await adds(middle)).toEqual(expected)
    expect(await adds(stream.instant())).toEqual(expected)
  })

  test('all readers see the same values end in the same way, regardless of when they start', async () => {
    await fc.assert(
      fc.asyncProperty(anyJsonObject, fc.nat(), fc.boolean(), async (value, at, isCut) => {
        const whole = JSON.stringify(value)
        const text = isCut ? whole.slice(0, -1) : whole
        const stream = createOutputStream({})
        const early = stream.instant()
        stream.write(text.slice(0, at % text.length))
        const late = stream.instant()
        stream.write(text.slice(at % text.length))
        stream.close()
        const last = await collect(stream.instant())
        const endings = (events: (InstantEvent | ResetEvent)[]): string[] =>
          events.flatMap((event) =>
            event.type === 'value' && event.isComplete ? [`${event.path} ${event.completion}`] : [],
          )
        const [a, b] = [await collect(early), await collect(late)]
        expect(addUp(b)).toEqual(addUp(a))
        expect(addUp(last)).toEqual(addUp(a))
        expect(endings(b).toSorted()).toEqual(endings(a).toSorted())
        expect(endings(last).toSorted()).toEqual(endings(a).toSorted())
      }),
    )
  })

  test('a slow reader finds the pieces of a string joined', async () => {
    const stream = open()
    const events = stream.instant()
    for (const letter of `{"summary": "${'x'.repeat(1000)}"}`) stream.write(letter)
    expect((await taken(events, 2)).map((event) => event.type === 'value' && event.delta.length)).toEqual([0, 1000])
  })

  test('a dropped attempt and a better block cause a reset', async () => {
    const stream = open()
    const events = stream.instant()
    stream.write('{"x": 1} {"summary": "s')
    stream.reset('too short')
    stream.write('{"summary": "t"}')
    stream.close()
    const lines = (await collect(events)).map((event) =>
      event.type === 'reset' ? `${event.reason} ${event.attempt}` : `${event.path} ${event.delta}`,
    )
    expect(lines).toEqual(
      [' ', 'x 1', ' ', 'a later part of the answer matches the schema better 1'].concat([
        ' ',
        'summary s',
        'too short 2',
        ' ',
        'summary t',
        ' ',
      ]),
    )
  })

  test('paths are in slash style on request', async () => {
    const stream = open({ pathStyle: 'slash' })
    stream.write(good)
    stream.close()
    const paths = (await collect(stream.instant())).map((event) => event.type === 'value' && event.path)
    expect(paths).toContain('items/1/title')
    expect(await stream.key('items[1].title')).toBe('two')
  })

  test('the answer so far can be read at any time', () => {
    const stream = open()
    expect(stream.partial).toBeUndefined()
    stream.write('So: {"summary": "all is')
    expect(stream.partial).toEqual({ summary: 'all is' })
    stream.write(' well"')
    expect(stream.partial).toEqual({ summary: 'all is well' })
  })
})

/** Returns the state of a reader that concatenates deltas and restarts on a reset. */
function addUp(events: readonly (InstantEvent | ResetEvent)[]): Record<string, [text: string, isComplete: boolean]> {
  let sums: Record<string, [string, boolean]> = {}
  for (const event of events) {
    if (event.type === 'reset') sums = {}
    else sums[`${event.path}`] = [(sums[event.path]?.[0] ?? '') + event.delta, event.isComplete]
  }
  return sums
}

describe('stop when satisfied', () => {
  test('reports when every awaited key has arrived', async () => {
    const onSatisfied = vi.fn<() => void>()
    const stream = open({ onSatisfied })
    const keys = collect(stream.waitKeys(['items[*].title', 'summary']))
    stream.when('items[0]', () => undefined)
    stream.write('{"summary": "s", "items": [{"title": "one"}')
    await setImmediate()
    expect(onSatisfied).not.toHaveBeenCalled()
    stream.write('], "note": "no one wants')
    await setImmediate()
    expect(onSatisfied).toHaveBeenCalledOnce()
    stream.write(' this"}')
    await setImmediate()
    expect(onSatisfied).toHaveBeenCalledOnce()
    stream.end()
    stream.close()
    expect(await keys).toHaveLength(2)
  })

  test('keys awaited one after the other count together', async () => {
    const calls: string[] = []
    const stream = open({ onSatisfied: () => calls.push('satisfied') })
    const both = (async () => {
      calls.push(await stream.key('summary'))
      calls.push(await stream.key('items[0].title'))
    })()
    stream.write('{"summary": "s",')
    await setImmediate()
    await setImmediate()
    expect(calls).toEqual(['s'])
    stream.write('"items": [{"title": "one"')
    await both
    await setImmediate()
    expect(calls).toEqual(['s', 'one', 'satisfied'])
  })

  test('a key that can no longer arrive does not block the end', async () => {
    const onSatisfied = vi.fn<() => void>()
    const stream = open({ onSatisfied })
    void stream.key('items[3].title', { optional: true })
    stream.write('{"items": [{"title": "one"}]')
    await setImmediate()
    expect(onSatisfied).toHaveBeenCalledOnce()
  })

  test('nothing is reported if no key is awaited', async () => {
    const onSatisfied = vi.fn<() => void>()
    const stream = open({ onSatisfied })
    void stream.instant()
    stream.write(good)
    await setImmediate()
    expect(onSatisfied).not.toHaveBeenCalled()
  })
})

describe('check', () => {
  const problemsOf = async (
    text: string,
    options: Partial<OutputStreamOptions<Input>> = {},
  ): Promise<OutputProblem[]> => {
    const stream = open(options)
    stream.write(text)
    const checked = await stream.check()
    return checked.ok ? [] : [...checked.problems]
  }

  test('accepts a valid answer, with the schema’s defaults', async () => {
    const stream = createOutputStream({ schema: outputSchema(z.object({ a: z.string(), b: z.number().default(2) })) })
    stream.write('Here: {"a": "x", // comment\n}')
    expect(stream.end()).toEqual({ found: true, value: { a: 'x' }, completion: 'repaired', malformed: undefined })
    expect(await stream.check()).toEqual({ ok: true, data: { a: 'x', b: 2 } })
  })

  test('refuses no JSON and broken JSON', async () => {
    expect(await problemsOf('I would rather not.')).toEqual([
      { path: '', message: 'There is no JSON object in the answer.', retry: true },
    ])
    expect(await problemsOf('{"summary": "s", "items": [{"title": "on')).toEqual([
      { path: '', message: 'The JSON is cut off in items[0].title.', retry: true },
    ])
  })

  test('reports missing, empty, mistyped and rejected values, each path once', async () => {
    const problems = await problemsOf('{"items": [{"title": 3}, {"score": -1, "title": ""}]}', {
      ensure: [
        { path: 'note', rule: 'present' },
        { path: 'items/*/title', rule: 'not-empty' },
      ],
      validators: [{ path: 'items[*].score', check: (score: number) => score >= 0 || `${score} is below zero` }],
    })
    expect(problems.map(({ path }) => path)).toEqual([
      'note',
      'items[1].title',
      'items[1].score',
      'summary',
      'items[0].title',
    ])
    expect(retryText(problems).split('\n').slice(0, 3)).toEqual([
      '- note: is missing',
      '- items[1].title: must not be empty',
      '- items[1].score: -1 is below zero',
    ])
  })

  test('runs validators of the whole answer last, on the parsed data', async () => {
    const stream = createOutputStream({
      schema: outputSchema(z.object({ n: z.string().transform(Number) })),
      validators: [
        {
          path: '',
          check: ({ n }: { n: number }) =>
            Promise.resolve(n < 10 ? undefined : { ok: false, reason: 'too big', retry: false }),
        },
      ],
    })
    stream.write('{"n": "12"}')
    expect(await stream.check()).toEqual({ ok: false, problems: [{ path: '', message: 'too big', retry: false }] })
  })

  test('an error in a validator is an error of the program', async () => {
    const error = new TypeError('undefined is not a function')
    const thrower = (): never => {
      throw error
    }
    const rejecter = (): Promise<boolean> => Promise.reject(error)
    for (const path of ['summary', '']) {
      for (const check of [thrower, rejecter])
        await expect(problemsOf(good, { validators: [{ path, check }] })).rejects.toBe(error)
    }
  })

  test('the reasons are bounded', () => {
    const problems = Array.from({ length: 30 }, (_, i) => ({ path: `p${i}`, message: 'x'.repeat(1000), retry: true }))
    const text = retryText(problems)
    expect(text.length).toBeLessThan(4000)
    expect(text).toContain('and 20 more of this kind')
  })
})

describe('validators of keys', () => {
  test('run before readers get the key or a value that contains it', async () => {
    const onInvalid = vi.fn<(problem: OutputProblem) => void>()
    const stream = open({
      onInvalid,
      validators: [{ path: 'items[*].title', check: (title: string) => title !== 'bad' || 'is bad' }],
    })
    const seen: unknown[] = []
    stream.when('items[*].title', (title) => seen.push(title)).when('items[*]', (item) => seen.push(item))
    const second = stream.key('items[1].title')
    stream.write('{"items": [{"title": "good"}, {"title": "bad"')
    expect(onInvalid).toHaveBeenCalledExactlyOnceWith({ path: 'items[1].title', message: 'is bad', retry: true })
    stream.write('}')
    expect(seen).toEqual(['good', { title: 'good' }])
    stream.end()
    expect(await stream.check()).toMatchObject({ ok: false, problems: [{ path: 'items[1].title' }] })
    stream.reset('is bad')
    stream.write('{"items": [{"title": "good"}, {"title": "fine"}]')
    expect(await second).toBe('fine')
  })

  test('may take their time', async () => {
    const verdict = Promise.withResolvers<boolean>()
    const stream = open({ validators: [{ path: 'items[*].title', check: () => verdict.promise }] })
    const seen: string[] = []
    void stream.key('items[0].title').then((title) => seen.push(title))
    void stream.key('items[0]').then(({ title }) => seen.push(`item ${title}`))
    void stream.key('summary').then((summary) => seen.push(summary))
    stream.write('{"items": [{"title": "one"}], "summary": "s"}')
    await setImmediate()
    expect(seen).toEqual(['s'])
    const checked = stream.check()
    verdict.resolve(true)
    expect(await checked).toMatchObject({ ok: true })
    expect(seen).toEqual(['s', 'one', 'item one'])
    stream.close()
    expect(await stream.key('items[0].title')).toBe('one')
  })

  test('of a dropped attempt no longer run', async () => {
    const first = Promise.withResolvers<boolean>()
    const onInvalid = vi.fn<() => void>()
    const stream = open({
      onInvalid,
      validators: [{ path: 'summary', check: (summary: string) => (summary === 'slow' ? first.promise : true) }],
    })
    const summary = stream.key('summary')
    stream.write('{"summary": "slow"')
    stream.reset('enough')
    first.resolve(false)
    stream.write('{"summary": "s", "items": []}')
    expect(await summary).toBe('s')
    expect(await stream.check()).toMatchObject({ ok: true })
    expect(onInvalid).not.toHaveBeenCalled()
  })

  test('of a key that the schema does not have are refused', () => {
    expect(() => open({ validators: [{ path: 'nope', check: () => true }] })).toThrow('has no "nope"')
  })
})

describe('the end', () => {
  test('of a failed run reaches all waiting readers, with the same error', async () => {
    const stream = open()
    const error = new Error('the provider is down')
    const handler = vi.fn<(value: string, context: HandlerContext) => void>()
    stream.when('summary', handler)
    const waiting = [stream.key('note'), stream.key('note', { optional: true }), collect(stream.waitKeys(['note']))]
    const events = stream.instant()
    stream.write('{"summary": "s", "items')
    stream.fail(error)
    for (const one of [...waiting, stream.settled(), stream.startWaiter(), stream.key('note')]) {
      await expect(one).rejects.toBe(error)
    }
    expect(await taken(events, 2)).toMatchObject([{ path: '' }, { path: 'summary' }])
    await expect(events.next()).rejects.toBe(error)
    expect(handler.mock.calls[0]?.[1].signal.aborted).toBe(true)
    expect(await stream.key('summary').catch((thrown: unknown) => thrown)).toBe(error)
  })

  test('of an attempt can be triggered by any reader, in the middle of a chunk', async () => {
    const seen: unknown[] = []
    const onInvalid = vi.fn<() => void>(() => stream.reset('bad'))
    const stream = open({ onInvalid, validators: [{ path: 'summary', check: (text: string) => text !== 'bad' }] })
    stream.when('items[*].title', (title) => seen.push(title))
    stream.write('{"summary": "bad", "items": [{"title": "never"}]} {"summary": "bad", "items": [{"title": "never"}]}')
    stream.write('{"summary": "good", "items": [{"title": "one"}]}')
    expect(await stream.check()).toMatchObject({ ok: true })
    stream.when('summary', () => stream.close())
    await stream.settled()
    expect([seen, onInvalid.mock.calls.length, stream.attempt]).toEqual([['one'], 1, 2])
  })

  test('happens once: later calls are ignored', async () => {
    const stream = open()
    stream.write(good)
    stream.close()
    stream.fail(new Error('too late'))
    stream.reset('too late')
    stream.write('{"summary": "other"}')
    expect(await stream.key('summary')).toBe('all is well')
    expect(stream.attempt).toBe(1)
    await stream.settled()
  })
})
