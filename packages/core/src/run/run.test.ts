import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call, play, probe, texts } from '../../testing/play-run.ts'
import { decide } from '../permission/decide.ts'
import { createPolicy } from '../permission/policy.ts'

describe('the loop', () => {
  it('answers a text with metadata about agent, model and usage', async () => {
    const outcome = await play([[{ text: 'Hello there' }]], [])
    expect(outcome.status).toBe('done')
    expect(texts(outcome)).toEqual(['Hello there'])
    expect(outcome.message.metadata).toMatchObject({
      agent: { kind: 'master', name: 'master', depth: 0, path: ['master'] },
      model: 'test/scripted',
      finishReason: 'stop',
    })
    expect(outcome.message.metadata?.usage?.totalTokens).toBeGreaterThan(0)
  })

  it('runs read-only neighbors in parallel and each write alone, in model order', async () => {
    const events: string[] = []
    const read = probe('Look', true, events)
    const write = probe('Change', false, events)
    const calls = (['Look', 'Look', 'Change', 'Look', 'Look', 'Change'] as const).map((name, i) => ({
      call: { name, input: { id: String(i) }, id: `c${i}` },
    }))
    const outcome = await play([calls, [{ text: 'done' }]], [read, write])
    expect(events.join(' ')).toBe('+0 +1 -0 -1 +2 -2 +3 +4 -3 -4 +5 -5')
    expect(
      outcome.message.parts
        .filter((part) => 'toolCallId' in part)
        .map((part) => (part as { toolCallId: string }).toolCallId),
    ).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5'])
  })

  it('starts a read-only call while the model is still writing', async () => {
    const events: string[] = []
    const look = probe('Look', true, events)
    const outcome = await play(
      [
        [{ call: { name: 'Look', input: { id: 'a' }, id: 'c1' } }, { delayMs: 60 }, { text: 'after' }],
        [{ text: 'end' }],
      ],
      [look],
    )
    const order = outcome.log.items.map((item) => item.type)
    expect(order.indexOf('tool-output-available')).toBeLessThan(order.indexOf('text-start'))
  })

  it('runs calls of a concurrent tool in parallel', async () => {
    const events: string[] = []
    const task = probe('Delegate', false, events, { concurrent: true })
    await play(
      [[0, 1].map((i) => ({ call: { name: 'Delegate', input: { id: String(i) }, id: `c${i}` } })), [{ text: 'x' }]],
      [task],
    )
    expect(events.join(' ')).toBe('+0 +1 -0 -1')
  })

  it('reports an unknown tool, an invalid input and a thrown error to the model, and continues', async () => {
    const thrower = probe('Thrower', true, [], {
      execute() {
        throw new Error('the disk is on fire')
      },
    })
    const polite = probe('Polite', true, [], { execute: () => Promise.resolve({ ok: false, error: 'no luck' }) })
    const outcome = await play(
      [
        [
          { call: { name: 'Nope', input: {}, id: 'c1' } },
          { call: { name: 'Thrower', input: { id: 5 }, id: 'c2' } },
          { call: { name: 'Thrower', input: {}, id: 'c3' } },
          { call: { name: 'Polite', input: {}, id: 'c4' } },
        ],
        [{ text: 'I see' }],
      ],
      [thrower, polite],
    )
    expect(call(outcome, 'c1').errorText).toMatch(/no tool "Nope".*Thrower, Polite/)
    expect(call(outcome, 'c2').errorText).toMatch(/input of Thrower is not valid. id:/)
    expect(call(outcome, 'c3').errorText).toBe('the disk is on fire')
    expect(call(outcome, 'c4').errorText).toBe('no luck')
    expect(texts(outcome)).toEqual(['I see'])
  })

  it('keeps an error’s code, even from another copy of the class', async () => {
    const broke = probe('Broke', true, [], {
      execute() {
        throw Object.assign(new Error('No money is left.'), { data: { errorCode: 'insufficient_credits' } })
      },
    })
    const outcome = await play([[{ call: { name: 'Broke', input: {}, id: 'c1' } }], [{ text: 'I see' }]], [broke])
    expect(call(outcome, 'c1')).toMatchObject({
      errorText: 'No money is left.',
      toolMetadata: { troupe: { errorCode: 'insufficient_credits' } },
    })
    expect(JSON.stringify(outcome.model.calls[1])).not.toContain('insufficient_credits')
  })

  it('repairs JSON only without guessing, and never runs a truncated write', async () => {
    const events: string[] = []
    const write = probe('Change', false, events)
    const traces: string[] = []
    const outcome = await play(
      [
        [
          { call: { name: 'Change', rawInput: '```json\n{"id": "a",}\n```', id: 'c1' } },
          { call: { name: 'Change', rawInput: '{"id": "trunc', id: 'c2' } },
        ],
        [{ text: 'ok' }],
      ],
      [write],
      { trace: (line) => traces.push(line.message) },
    )
    expect(events).toEqual(['+a', '-a'])
    expect(call(outcome, 'c2').errorText).toMatch(/not valid JSON/)
    expect(traces).toEqual(['[tool-repair]'])
  })

  it('rejects an input that is nested too deeply to store', async () => {
    const look = probe('Look', true, [])
    const rawInput = `{"id":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const outcome = await play([[{ call: { name: 'Look', rawInput, id: 'c1' } }], [{ text: 'ok' }]], [look])
    expect(call(outcome, 'c1').errorText).toMatch(/nested deeper than 500 levels/)
  })

  it('finds a tool regardless of case and separators', async () => {
    const events: string[] = []
    const outcome = await play(
      [[{ call: { name: 'open-url', input: { id: 'u' }, id: 'c1' } }], [{ text: 'ok' }]],
      [probe('OpenUrl', true, events)],
    )
    expect(events).toEqual(['+u', '-u'])
    expect(call(outcome, 'c1').type).toBe('tool-OpenUrl')
  })

  it('waits for approval, tells so, and then runs', async () => {
    const events: string[] = []
    const write = probe('Change', false, events, { needsApproval: true })
    const statuses: string[] = []
    const outcome = await play(
      [[{ call: { name: 'Change', input: { id: 'w' }, id: 'c1' } }], [{ text: 'ok' }]],
      [write],
      {
        onStatus: (status, message) =>
          statuses.push(`${status} ${(message().parts.at(-1) as { state?: string }).state}`),
      },
      async (ask) => {
        expect(ask).toMatchObject({ kind: 'approval', toolCallId: 'c1', toolName: 'Change', agentPath: ['master'] })
        expect(events).toEqual([])
        await Promise.resolve()
        return { type: 'approve' }
      },
    )
    expect(events).toEqual(['+w', '-w'])
    expect(statuses).toEqual(['waiting approval-requested', 'running approval-requested'])
    expect(call(outcome, 'c1').state).toBe('output-available')
  })

  it('ends the turn on a denial, and continues if it has a remark', async () => {
    const events: string[] = []
    const write = probe('Change', false, events, { needsApproval: true })
    const script = [
      [
        { call: { name: 'Change', input: { id: '1' }, id: 'c1' } },
        { call: { name: 'Change', input: { id: '2' }, id: 'c2' } },
      ],
      [{ text: 'went on' }],
    ]
    const ended = await play(script, [write], {}, () => ({ type: 'deny' }))
    expect(call(ended, 'c1').state).toBe('output-denied')
    expect(call(ended, 'c2').errorText).toMatch(/earlier tool call in this step was denied/)
    expect(texts(ended)).toEqual([])
    expect(ended.message.metadata?.stopped?.reason).toBe('denied')
    const remarked = await play(script, [write], {}, (ask) =>
      ask.toolCallId === 'c1' ? { type: 'deny', remark: 'use another file' } : { type: 'approve' },
    )
    expect(texts(remarked)).toEqual(['went on'])
    expect(JSON.stringify(remarked.model.calls[1]?.prompt)).toContain('use another file')
    expect(events).toEqual(['+2', '-2'])
  })

  it('runs the user’s edited input and keeps the model’s', async () => {
    const events: string[] = []
    const write = probe('Change', false, events, { needsApproval: true })
    const outcome = await play(
      [[{ call: { name: 'Change', input: { id: 'model' }, id: 'c1' } }], [{ text: 'ok' }]],
      [write],
      {},
      () => ({ type: 'approve', input: { id: 'person' } }),
    )
    expect(events[0]).toBe('+person')
    expect(call(outcome, 'c1')).toMatchObject({
      input: { id: 'model' },
      toolMetadata: { troupe: { executedInput: { id: 'person' } } },
    })
  })

  it('passes the data of an approval to that call, once', async () => {
    const seen: unknown[] = []
    const write = probe('Change', false, [], {
      needsApproval: true,
      execute(_input, ctx) {
        seen.push(ctx.approval, ctx.approval)
        return Promise.resolve('ok')
      },
    })
    await play([[{ call: { name: 'Change', input: {}, id: 'c1' } }], [{ text: 'ok' }]], [write], {}, () => ({
      type: 'approve',
      data: { pin: 1 },
    }))
    expect(seen).toEqual([{ pin: 1 }, undefined])
  })

  it('denies tool calls that would ask, with the reason, if nobody can answer', async () => {
    const events: string[] = []
    const outcome = await play(
      [[{ call: { name: 'Change', input: {}, id: 'c1' } }], [{ text: 'understood' }]],
      [probe('Change', false, events, { needsApproval: true })],
      { headless: true },
    )
    expect(events).toEqual([])
    expect(call(outcome, 'c1')).toMatchObject({
      state: 'output-denied',
      approval: { approved: false, reason: expect.stringContaining('Nobody is available') },
    })
    expect(texts(outcome)).toEqual(['understood'])
  })

  it('honours deny, ask and allow rules by bare name', async () => {
    const events: string[] = []
    const tools = [probe('Change', false, events, { needsApproval: true }), probe('Look', true, events)]
    const rules = createPolicy({ allow: ['change'], deny: ['Look'] })
    const outcome = await play(
      [
        [{ call: { name: 'Change', input: { id: 'w' }, id: 'c1' } }, { call: { name: 'Look', input: {}, id: 'c2' } }],
        [{ text: 'ok' }],
      ],
      tools,
      {
        decide: (made, ctx) => decide(made, ctx, rules),
      },
      () => Promise.reject(new Error('nothing should be asked')),
    )
    expect(events).toEqual(['+w', '-w'])
    expect(call(outcome, 'c2').state).toBe('output-denied')
  })

  it('stops at once, even if a tool ignores its signal', async () => {
    const controller = new AbortController()
    const begun = Promise.withResolvers<void>()
    const deaf = probe('Deaf', true, [], { execute: () => new Promise(() => begun.resolve()) })
    const playing = play([[{ call: { name: 'Deaf', input: {}, id: 'c1' } }]], [deaf], { signal: controller.signal })
    await begun.promise
    controller.abort(new Error('stop'))
    const outcome = await playing
    expect(outcome.status).toBe('aborted')
    expect(outcome.message.metadata?.aborted).toBe(true)
    expect(call(outcome, 'c1').errorText).toMatch(/Stopped by the user/)
  })

  it('gives a stopped call that asked for it some time to return a partial result', async () => {
    const controller = new AbortController()
    const aborted = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const partial = probe('Partial', true, [], {
      stopMs: 10_000,
      execute: async (_, { signal }) => (first.resolve(), aborted(signal).then(() => ({ half: 1 }))),
    })
    const deaf = probe('Deaf', true, [], { stopMs: 20, execute: () => new Promise(() => second.resolve()) })
    const calls = [{ call: { name: 'Partial', input: {}, id: 'c1' } }, { call: { name: 'Deaf', input: {}, id: 'c2' } }]
    const playing = play([calls], [partial, deaf], { signal: controller.signal })
    await Promise.all([first.promise, second.promise])
    controller.abort(new Error('stop'))
    const outcome = await playing
    expect(outcome.status).toBe('aborted')
    expect(call(outcome, 'c1').output).toEqual({ half: 1 })
    expect(call(outcome, 'c2').errorText).toMatch(/Stopped by the user/)
  })

  it('cancels a call at its time limit and reports it', async () => {
    const slow = probe('Slow', true, [], { timeout: 20, execute: () => new Promise(() => undefined) })
    const outcome = await play([[{ call: { name: 'Slow', input: {}, id: 'c1' } }], [{ text: 'ok' }]], [slow])
    expect(call(outcome, 'c1').errorText).toMatch(/Timed out after 0.02 s/)
  })

  it('applies steering at the next step, even if the model was about to end', async () => {
    const queue = [{ id: 'st1', text: 'rather in French' }]
    const outcome = await play([[{ text: 'Hello' }], [{ text: 'Bonjour' }]], [], { steering: () => queue.splice(0) })
    expect(texts(outcome)).toEqual(['Hello'])
    const late = await play([[{ text: 'Hello' }], [{ text: 'Bonjour' }]], [], {
      steering: (() => {
        let asked = 0
        return () => (asked++ === 1 ? [{ id: 'st1', text: 'rather in French' }] : [])
      })(),
    })
    expect(texts(late)).toEqual(['Hello', 'Bonjour'])
    expect(late.message.parts.map((part) => part.type)).toContain('steering-message')
    expect(JSON.stringify(late.model.calls[1]?.prompt)).toContain('rather in French')
  })

  it('ends at the limit of steps, and breaks a loop of the same call', async () => {
    const look = probe('Look', true, [])
    const forever = (): { call: { name: string; input: object; id: string } }[] => [
      { call: { name: 'Look', input: { id: 'same' }, id: `c${Math.random()}` } },
    ]
    const steps = await play((_prompt, index) => [{ call: { name: 'Look', input: { id: String(index) } } }], [look], {
      limits: { steps: 3 },
    })
    expect(steps.message.metadata?.stopped?.reason).toBe('steps')
    expect(steps.model.calls).toHaveLength(3)
    const repeated = await play(forever, [look])
    expect(repeated.message.metadata?.stopped?.reason).toBe('repeat')
    expect(repeated.model.calls).toHaveLength(6)
  })

  it.each([
    { name: 'a result that changes', polls: false, output: (looks: number) => ({ line: looks, durationMs: looks }) },
    { name: 'a tool that polls', polls: true, output: () => ({ line: 1 }) },
  ])('does not take $name for a loop', async ({ polls, output }) => {
    let looks = 0
    const look = { ...probe('Look', true, []), execute: () => output(++looks), ...(polls && { polls: true as const }) }
    const same = { call: { name: 'Look', input: { id: 'same' } } }
    const outcome = await play((_prompt, index) => [index < 12 ? same : { text: 'done' }], [look])
    expect(looks).toBe(12)
    expect(outcome.message.metadata?.stopped).toBeUndefined()
  })

  it('detects a loop if results differ only in their time', async () => {
    let looks = 0
    const look = { ...probe('Look', true, []), execute: () => ({ line: 'same', durationMs: ++looks }) }
    const outcome = await play(() => [{ call: { name: 'Look', input: { id: 'same' } } }], [look])
    expect(outcome.message.metadata?.stopped?.reason).toBe('repeat')
    expect(looks).toBe(4)
  })

  it('retries before the first byte and reports it, but not in mid-stream', async () => {
    const first = await play(
      [
        [{ error: { message: 'busy', statusCode: 429, headers: { 'retry-after-ms': '1' } }, when: 'before' }],
        [{ text: 'now' }],
      ],
      [],
    )
    expect(texts(first)).toEqual(['now'])
    expect(first.log.items.map((item) => item.type)).toContain('data-retry')
    const mid = await play([[{ text: 'half an ans' }, { reset: true }], [{ text: 'never' }]], [])
    expect(mid.status).toBe('failed')
    expect(texts(mid)).toEqual(['half an ans'])
    expect(mid.message.metadata?.error?.name).toBe('ProviderConnection')
    expect(mid.model.calls).toHaveLength(1)
  })

  it('does not run the calls of an answer that was cut short', async () => {
    const events: string[] = []
    const outcome = await play(
      [[{ call: { name: 'Change', input: { id: 'w' }, id: 'c1' } }, { finish: 'length' }]],
      [probe('Change', false, events)],
    )
    expect(events).toEqual([])
    expect(call(outcome, 'c1').errorText).toMatch(/output limit/)
    expect(outcome.message.metadata?.finishReason).toBe('length')
  })

  it('renames a call id that the session has used', async () => {
    const outcome = await play(
      [
        [{ call: { name: 'Look', input: {}, id: 'c1' } }],
        [{ call: { name: 'Look', input: { id: 'b' }, id: 'c1' } }],
        [{ text: 'ok' }],
      ],
      [probe('Look', true, [])],
    )
    const ids = outcome.message.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toBe('c1')
  })

  it('streams progress of a generator and stores only its result', async () => {
    const counter = probe('Counter', true, [], {
      async *execute() {
        yield 'one'
        yield 'two'
        return 'three'
      },
    })
    const outcome = await play([[{ call: { name: 'Counter', input: {}, id: 'c1' } }], [{ text: 'ok' }]], [counter])
    const progress = outcome.log.items
      .filter((item) => item.type === 'data-tool-progress')
      .map((item) => (item as unknown as { data: { delta: string } }).data.delta)
    expect(progress).toEqual(['one', 'two'])
    expect(call(outcome, 'c1').output).toBe('three')
    expect(JSON.stringify(outcome.message.parts)).not.toContain('progress')
  })

  it('removes known secrets from tool results', async () => {
    const leak = probe('Leak', true, [], {
      async *execute() {
        yield 'key is sk-secret-1'
        return { text: 'sk-secret-1 and more', other: 1 }
      },
    })
    const outcome = await play([[{ call: { name: 'Leak', input: {}, id: 'c1' } }], [{ text: 'ok' }]], [leak], {
      redact: (text) => text.replaceAll('sk-secret-1', '[redacted]'),
    })
    expect(call(outcome, 'c1').output).toEqual({ text: '[redacted] and more', other: 1 })
    expect(JSON.stringify([outcome.log.items, outcome.model.calls[1]?.prompt])).not.toContain('sk-secret')
  })

  it('strips actionName before validation and keeps it for the card', async () => {
    const strict = probe('Strict', true, [], { input: z.strictObject({ id: z.string() }) })
    const outcome = await play(
      [[{ call: { name: 'Strict', input: { id: 'a', actionName: 'Looking it up' }, id: 'c1' } }], [{ text: 'ok' }]],
      [strict],
    )
    expect(call(outcome, 'c1')).toMatchObject({
      state: 'output-available',
      input: { id: 'a' },
      toolMetadata: { troupe: { actionName: 'Looking it up' } },
    })
  })

  it('accepts plain text for a string tool in every wrapping of the model', async () => {
    const seen: unknown[] = []
    const echo = probe('Echo', true, [], { input: z.string(), execute: (input) => Promise.resolve(seen.push(input)) })
    await play(
      [
        ['{"input":"a"}', '"b"', 'plain text c'].map((rawInput, i) => ({
          call: { name: 'Echo', rawInput, id: `c${i}` },
        })),
        [{ text: 'ok' }],
      ],
      [echo],
    )
    expect(seen).toEqual(['a', 'b', 'plain text c'])
  })
})
