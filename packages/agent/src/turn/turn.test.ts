import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Script, scriptedModel } from '../../../core/src/testing/index.ts'
import { createAgent } from '../agent.ts'
import type { TurnEvent } from './turn.ts'

const articleSchema = z.object({
  summary: z.string(),
  items: z.array(z.object({ title: z.string(), score: z.number() })),
})
const article = {
  summary: 'It is 42',
  items: [
    { title: 'One', score: 0.95 },
    { title: 'Two', score: 7 },
  ],
}

const agentFor = (script: Script, options: Partial<Parameters<typeof createAgent>[0]> = {}) => {
  const model = scriptedModel(script)
  return { model, agent: createAgent({ name: 'writer', model, ...options }) }
}

const userText = (call: { prompt: readonly { role: string; content: unknown }[] } | undefined): string => {
  const content = call?.prompt.findLast(({ role }) => role === 'user')?.content as { text?: string }[] | undefined
  return content?.map(({ text }) => text ?? '').join('') ?? ''
}

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(items)

describe('an answer that the provider refused or filtered', () => {
  const filtered = { name: 'AnswerFiltered', message: expect.stringContaining('content-filter') as string }

  it('fails the turn, with and without a schema', async () => {
    const script: Script = [[{ text: '{"summary": "It' }, { finish: 'content-filter' }]]
    await expect(agentFor(script).agent.turn().input('q').run().result()).rejects.toMatchObject(filtered)
    const run = agentFor(script).agent.turn().input('q').output(articleSchema).run()
    await expect(run.result()).rejects.toMatchObject(filtered)
  })

  it('is retried if it is empty and a schema expects it', async () => {
    const { agent, model } = agentFor([[], [{ text: JSON.stringify(article) }]])
    expect((await agent.turn().input('q').output(articleSchema).run().result()).data).toEqual(article)
    expect(model.calls).toHaveLength(2)
    await expect(agentFor([[]]).agent.turn().input('q').run().result()).rejects.toMatchObject({ name: 'AnswerEmpty' })
  })
})

describe('a turn', () => {
  it("sends the agent's scope and its own, and gives a text without a schema", async () => {
    const { agent, model } = agentFor([[{ text: 'Fine.', chunks: 3 }]])
    agent.always({ role: 'editor', rules: ['cite sources'], info: { style: 'plain' } })
    const run = agent.turn().input('How are you?').info({ mood: 'good' }).run()
    expect((await all(run.text())).join('|')).toBe('Fi|n|e.')
    const { data, text, attempts, usage, toolLogs, extra } = await run.result()
    expect({ data, text, attempts, toolLogs, extra }).toEqual({
      data: 'Fine.',
      text: 'Fine.',
      attempts: 1,
      toolLogs: [],
      extra: {},
    })
    expect(usage?.totalTokens).toBeGreaterThan(0)
    expect(model.calls[0]?.prompt[0]).toEqual({
      role: 'system',
      content: '[ROLE]:\neditor\n\n[RULES]:\n- cite sources',
    })
    expect(userText(model.calls[0])).toBe('[INFO]:\nstyle: plain\nmood: good\n\n[INPUT]:\nHow are you?\n\n[OUTPUT]:')
  })

  it('is lazy and cached: many readers, early and late, and one request', async () => {
    const { agent, model } = agentFor([[{ text: JSON.stringify(article), chunks: 40 }]])
    const run = agent.turn().input('go').output(articleSchema).run()
    expect(model.calls).toHaveLength(0)
    const early = [run.key('items[0].title'), run.result(), all(run.instant()), all(run.text())] as const
    const [title, { data }, events, deltas] = await Promise.all(early)
    expect(title).toBe('One')
    expect(data).toEqual(article)
    expect(deltas.join('')).toBe(JSON.stringify(article))
    const complete = (event: (typeof events)[number]) => event.type === 'value' && event.isComplete
    expect((await all(run.instant())).filter(complete).map((event) => 'path' in event && event.path)).toEqual(
      events.filter(complete).map((event) => 'path' in event && event.path),
    )
    expect(await run.key('summary')).toBe('It is 42')
    expect(model.calls).toHaveLength(1)
  })

  it('is immutable: each step is a new turn', async () => {
    const { agent, model } = agentFor(() => [{ text: 'ok' }])
    const base = agent.turn().info({ a: 1 })
    const one = base.input('one').info({ b: 2 })
    const two = base.input('two').set({ info: 'replaced' })
    await Promise.all([one.run().result(), two.run().result(), base.input('three').run().result()])
    expect(model.calls.map(userText).toSorted()).toEqual([
      '[INFO]:\na: 1\n\n[INPUT]:\nthree\n\n[OUTPUT]:',
      '[INFO]:\na: 1\nb: 2\n\n[INPUT]:\none\n\n[OUTPUT]:',
      '[INFO]:\nreplaced\n\n[INPUT]:\ntwo\n\n[OUTPUT]:',
    ])
  })

  it('uses the agent’s scope at the time of the run', async () => {
    const { agent, model } = agentFor(() => [{ text: 'ok' }])
    const turn = agent.turn().input('q')
    agent.always({ info: 'new' })
    const run = turn.run()
    agent.set({ info: undefined })
    await run.result()
    expect(userText(model.calls[0])).toContain('[INFO]:\nnew')
  })

  it('describes the output format to the model, and to the provider if it supports it', async () => {
    const text = JSON.stringify(article)
    const { agent, model } = agentFor(() => [{ text }])
    await agent.turn().input('q').output(articleSchema).run().result()
    expect(userText(model.calls[0])).toContain(
      '[OUTPUT REQUIREMENT]:\nData Format: JSON\nData Structure:\n{\n  "summary": <string>',
    )
    expect(model.calls[0]?.responseFormat).toBeUndefined()
    const able = agentFor(() => [{ text }], { capabilities: { structuredOutput: true } })
    await able.agent.turn().input('q').output(articleSchema).run().result()
    expect(able.model.calls[0]?.responseFormat).toMatchObject({
      type: 'json',
      schema: { type: 'object', required: ['summary', 'items'] },
    })
  })

  it('shows the prompt without sending it', () => {
    const { agent } = agentFor([])
    agent.always({ system: 'S' })
    const turn = agent.turn().input('q').output('one word')
    expect(turn.toText()).toBe(
      'system:\nS\n\nuser:\n[INPUT]:\nq\n\n[OUTPUT REQUIREMENT]:\none word\n\n[OUTPUT]:\n\nassistant:',
    )
    expect(turn.toMessages().map(({ role }) => role)).toEqual(['system', 'user'])
  })
})

describe('keys', () => {
  it('arrive in order while the answer continues, and handlers run meanwhile', async () => {
    const text = JSON.stringify(article)
    const cut = text.indexOf('"Two"')
    const { agent, model } = agentFor([
      [{ text: text.slice(0, cut), chunks: 20 }, { gate: 'half' }, { text: text.slice(cut) }],
    ])
    const run = agent.turn().input('q').output(articleSchema).run()
    const seen: unknown[] = []
    run.when('items[*]', async (item, { indexes }) => {
      seen.push([indexes[0], item.title])
      model.open('half')
      return item.score * 2
    })
    const handled = await run.startWaiter()
    expect(seen).toEqual([
      [0, 'One'],
      [1, 'Two'],
    ])
    expect(handled.map(({ path, result }) => [path, result])).toEqual([
      ['items[0]', 1.9],
      ['items[1]', 14],
    ])
    const keys = await all(run.waitKeys(['summary', 'items[*].title']))
    expect(keys.map(({ path, value }) => [path, value])).toEqual([
      ['summary', 'It is 42'],
      ['items[0].title', 'One'],
      ['items[1].title', 'Two'],
    ])
  })

  it('need an output schema', async () => {
    const { agent } = agentFor(() => [{ text: 'hi' }])
    await expect(agent.turn().input('q').run().key('')).rejects.toMatchObject({ name: 'OutputSchemaMissing' })
  })

  it('and checks take paths that the compiler knows', () => {
    const turn = agentFor([]).agent.turn().output(articleSchema)
    // @ts-expect-error items have no name
    turn.ensure('items[*].name')
    // @ts-expect-error a summary is a string
    turn.validate('summary', (value: number) => value > 1)
    turn.validate('items[*].score', (score) => score.toFixed(1) === '1.0')
    // @ts-expect-error a title is no number
    expect(() => turn.run().when('items[0].title', (title: number) => title)).not.toThrow()
    expect(() => turn.run().when('items[0].title', (title) => title.length)).not.toThrow()
  })

  it('belong to their run: a handler of one is not a handler of the next', async () => {
    const { agent } = agentFor(() => [{ text: JSON.stringify(article) }])
    const turn = agent.turn().input('q').output(articleSchema)
    let calls = 0
    await turn
      .run()
      .when('summary', () => calls++)
      .startWaiter()
    await turn.run().result()
    expect(calls).toBe(1)
    await expect(turn.run().startWaiter()).rejects.toMatchObject({ name: 'NoHandlers' })
  })

  it('that are not in the schema are refused', async () => {
    const { agent, model } = agentFor(() => [{ text: '{"summary":"s","items":[],"more":1}' }])
    const run = agent.turn().input('q').output(articleSchema).run()
    // @ts-expect-error the path does not exist
    await expect(run.key('nowhere')).rejects.toMatchObject({ name: 'KeyNotInSchema' })
    expect(await run.key('more', { mustInPrompt: false })).toBe(1)
    await expect(run.key('items[3]')).rejects.toMatchObject({ name: 'KeyNeverArrived' })
    expect(await run.key('items[3]', { optional: true })).toBeUndefined()
    expect(model.calls).toHaveLength(1)
  })

  it('an error of a handler is an error of the result', async () => {
    const { agent } = agentFor([[{ text: JSON.stringify(article) }]])
    const run = agent.turn().input('q').output(articleSchema).run()
    run.when('summary', () => {
      throw new Error('no room')
    })
    await expect(run.result()).rejects.toThrow('no room')
  })

  it('end the request when all awaited ones have arrived, on request', async () => {
    const text = JSON.stringify(article)
    const cut = text.indexOf(',"items"') + 1
    const { agent, model } = agentFor([
      [{ text: text.slice(0, cut), chunks: 5 }, { gate: 'never' }, { text: text.slice(cut) }],
    ])
    const run = agent.turn().input('q').output(articleSchema).run({ stopWhenSatisfied: true })
    expect(await run.key('summary')).toBe('It is 42')
    const { satisfied, data, attempts } = await run.result()
    expect({ satisfied, attempts, summary: data.summary }).toEqual({
      satisfied: true,
      attempts: 1,
      summary: 'It is 42',
    })
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true)
  })
})

describe('an answer that is not accepted', () => {
  it('is retried with the reason, and readers get a reset', async () => {
    const { agent, model } = agentFor([
      [{ text: '{"summary": "", "items": []}', chunks: 4 }],
      [{ text: 'no JSON at all' }],
      [{ text: '{"summary": "s", "items": [' }],
      [{ text: JSON.stringify(article), chunks: 9 }],
    ])
    const run = agent.turn().input('q').output(articleSchema).ensure('summary', 'not-empty').retries(3).run()
    const [events, instants] = await Promise.all([all(run.events()), all(run.instant())])
    expect(events.filter(({ type }) => type === 'reset').map((event) => 'attempt' in event && event.attempt)).toEqual([
      2, 3, 4,
    ])
    const { data, attempts, text } = await run.result()
    expect({ data, attempts, text }).toEqual({ data: article, attempts: 4, text: JSON.stringify(article) })
    expect(model.calls).toHaveLength(4)
    expect(userText(model.calls[0])).not.toContain('RETRY')
    expect(userText(model.calls[1])).toMatch(/\[RETRY\]:\nThe previous answer was not accepted:\n- summary: /)
    expect(userText(model.calls[2])).not.toMatch(/summary: .*empty/)
    expect(instants.filter(({ type }) => type === 'reset')).toHaveLength(3)
  })

  it('is an error when no retry is left: one request and the retries', async () => {
    const { agent, model } = agentFor(() => [{ text: '{"summary": 1}' }])
    const run = agent.turn().input('q').output(articleSchema).retries(2).run()
    await expect(run.result()).rejects.toMatchObject({ name: 'OutputNotAccepted', data: { attempts: 3 } })
    await expect(run.key('items')).rejects.toMatchObject({ name: 'OutputNotAccepted' })
    expect(model.calls).toHaveLength(3)
  })

  it('or the last one is returned, on request', async () => {
    const { agent } = agentFor(() => [{ text: '{"summary": 1}' }])
    const { data, attempts } = await agent.turn().input('q').output(articleSchema).retries(1, 'last').run().result()
    expect({ data, attempts }).toEqual({ data: { summary: 1 }, attempts: 2 })
  })

  it('is retried with a full sentence if a validator gives no reason, for texts and for data', async () => {
    const { agent, model } = agentFor(() => [{ text: '{"n": 1}' }])
    const turn = agent.turn().input('q').retries(1, 'last')
    const refuse = (): boolean => false
    await turn.validate(refuse).run().result()
    await turn
      .output(z.object({ n: z.number() }))
      .validate(refuse)
      .run()
      .result()
    for (const index of [1, 3])
      expect(userText(model.calls[index])).toContain('not accepted:\n- A check rejected the answer.')
  })

  it('retries are counted in whole numbers', () => {
    const { agent } = agentFor([])
    for (const count of [-1, 0.5, Number.NaN, {} as number])
      expect(() => agent.turn().retries(count)).toThrow(TypeError)
    const careless = createAgent({ name: 'a', model: scriptedModel([]), retries: Number.NaN })
    expect(() => careless.turn().input('q').run()).toThrow(TypeError)
  })

  it('is cut short by a validator of a key', async () => {
    const bad = '{"summary": "bad", "items": ['
    const { agent, model } = agentFor([
      [{ text: bad, chunks: 6 }, { gate: 'never' }],
      [{ text: JSON.stringify(article) }],
    ])
    const run = agent
      .turn()
      .input('q')
      .output(articleSchema)
      .validate('summary', (value) => value !== 'bad' || 'say something better')
      .run()
    expect((await run.result()).attempts).toBe(2)
    expect(await run.key('summary')).toBe('It is 42')
    expect(userText(model.calls[1])).toContain('say something better')
  })

  it('cannot require paths that the schema does not have', () => {
    const turn = agentFor([]).agent.turn().input('q')
    expect(() =>
      turn
        .output(articleSchema)
        .ensure('items[*].name' as never)
        .run(),
    ).toThrow(expect.objectContaining({ name: 'KeyNotInSchema' }))
    expect(() => turn.ensure('' as never).run()).toThrow(expect.objectContaining({ name: 'OutputSchemaMissing' }))
  })

  it('may also be a text', async () => {
    const { agent, model } = agentFor([[{ text: 'yes' }], [{ text: 'no' }]])
    const turn = agent
      .turn()
      .input('q')
      .validate((text) => text === 'no' || 'Say no.')
    const { data, attempts } = await turn.run().result()
    expect({ data, attempts }).toEqual({ data: 'no', attempts: 2 })
    expect(userText(model.calls[1])).toContain('Say no.')
  })

  it('is not retried if the validator says that it is useless', async () => {
    const { agent, model } = agentFor(() => [{ text: 'x' }])
    const turn = agent
      .turn()
      .input('q')
      .validate(() => ({ ok: false, reason: 'wrong model', retry: false }))
    await expect(turn.run().result()).rejects.toThrow('wrong model')
    expect(model.calls).toHaveLength(1)
  })

  it('a check that throws is an error of the program', async () => {
    const { agent, model } = agentFor(() => [{ text: JSON.stringify(article) }])
    const turn = agent
      .turn()
      .input('q')
      .output(articleSchema)
      .validate(() => {
        throw new Error('a bug')
      })
    await expect(turn.run().result()).rejects.toThrow('a bug')
    expect(model.calls).toHaveLength(1)
  })
})

describe('failures', () => {
  it('in the provider are typed, for every reader', async () => {
    const { agent } = agentFor(() => [{ error: { message: 'bad key', statusCode: 401 } }])
    const run = agent.turn().input('q').output(articleSchema).run()
    const expected = {
      name: 'ProviderAuth',
      data: { statusCode: 401, retryable: false, provider: 'scripted', model: 'script' },
    }
    await expect(run.result()).rejects.toMatchObject(expected)
    await expect(run.key('summary')).rejects.toMatchObject(expected)
    await expect(all(run.events())).rejects.toMatchObject(expected)
  })

  it('in mid-stream keep the text so far for readers', async () => {
    const { agent } = agentFor([
      [
        { text: '{"summary": "half', chunks: 3 },
        { error: { message: 'gone', statusCode: 500 }, when: 'mid' },
      ],
    ])
    const run = agent.turn().input('q').output(articleSchema).run()
    const deltas: string[] = []
    await expect(
      (async () => {
        for await (const delta of run.text()) deltas.push(delta)
      })(),
    ).rejects.toMatchObject({ name: 'ProviderOverloaded' })
    expect(deltas.join('')).toBe('{"summary": "half')
  })

  it('before the first byte are retried, with a warning', async () => {
    const { agent } = agentFor([
      [
        { error: { message: 'busy', statusCode: 503, headers: { 'retry-after-ms': '1' } }, when: 'before', times: 1 },
        { text: 'x' },
      ],
      [{ text: 'ok' }],
    ])
    const run = agent.turn().input('q').run()
    const events = await all(run.events())
    expect(events[0]).toMatchObject({ type: 'retry', attempt: 1 })
    expect((await run.result()).attempts).toBe(1)
  })

  it('an abort ends the request, and readers get its reason', async () => {
    const { agent, model } = agentFor([[{ text: '{"summary": "a"' }, { gate: 'never' }]])
    const controller = new AbortController()
    const run = agent.turn().input('q').output(articleSchema).run({ signal: controller.signal })
    const result = run.result()
    const key = run.key('items')
    await model.reached('never')
    controller.abort(new Error('enough'))
    await expect(result).rejects.toThrow('enough')
    await expect(key).rejects.toThrow('enough')
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true)
  })

  it('a signal that is aborted already makes no request', async () => {
    const { agent, model } = agentFor(() => [{ text: 'x' }])
    await expect(agent.turn().input('q').run({ signal: AbortSignal.abort() }).result()).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(model.calls).toHaveLength(0)
  })

  it('a run without readers of its result causes no unhandled rejection', async () => {
    const { agent } = agentFor(() => [{ error: { message: 'bad key', statusCode: 401 } }])
    const unhandled: unknown[] = []
    const listener = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listener)
    const run = agent.turn().input('q').run()
    await expect(all(run.events())).rejects.toThrow('bad key')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', listener)
    expect(unhandled).toEqual([])
  })
})

describe('two turns of one agent', () => {
  it('are independent, for all requests and chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            word: fc.stringMatching(/^[a-z]{1,8}$/),
            chunks: fc.integer({ min: 1, max: 12 }),
            bad: fc.integer({ min: 0, max: 2 }),
          }),
          { minLength: 2, maxLength: 6 },
        ),
        async (questions) => {
          const schema = z.object({ echo: z.string(), list: z.array(z.string()) })
          const failures = new Map<string, number>()
          const model = scriptedModel((prompt) => {
            const text = userText({ prompt: prompt as never })
            const id = /\[INPUT\]:\n(\S+)/.exec(text)?.[1] ?? ''
            const question = questions[Number(id.split('-')[0])]
            const count = (failures.get(id) ?? 0) + 1
            failures.set(id, count)
            if (count <= (question?.bad ?? 0)) return [{ text: '{"echo": 1}', chunks: question?.chunks ?? 1 }]
            return [{ text: JSON.stringify({ echo: id, list: [id, id] }), chunks: question?.chunks ?? 1 }]
          })
          const agent = createAgent({ name: 'a', model })
          const runs = questions.map(({ word }, index) => agent.turn().input(`${index}-${word}`).output(schema).run())
          const results = await Promise.all(
            runs.map(
              async (run) => [(await run.result()).data, await run.key('echo'), (await run.result()).attempts] as const,
            ),
          )
          for (const [index, [data, key, attempts]] of results.entries()) {
            const id = `${index}-${questions[index]?.word}`
            expect(data).toEqual({ echo: id, list: [id, id] })
            expect(key).toBe(id)
            expect(attempts).toBe((questions[index]?.bad ?? 0) + 1)
          }
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('handlers', () => {
  it('run in their places, and their events come in order', async () => {
    const { agent, model } = agentFor([[{ reasoning: 'hm' }, { text: 'done', chunks: 2 }]])
    const calls: string[] = []
    agent.use({
      requestPrefix(ctx) {
        calls.push('requestPrefix')
        ctx.prompt = { ...ctx.prompt, info: 'from a handler' }
      },
      async *broadcastPrefix() {
        calls.push('broadcastPrefix')
        yield { type: 'custom', name: 'hello', data: 1 } as const
      },
      broadcastSuffix: {
        delta: ({ delta }) => ({ type: 'custom', name: 'saw', data: delta }),
        done: ({ text }) => [{ type: 'custom', name: 'end', data: text }],
      },
      finally({ result }) {
        calls.push(`finally ${result?.text}`)
      },
    })
    const events = await all(agent.turn().input('q').run().events())
    expect(calls).toEqual(['requestPrefix', 'broadcastPrefix', 'finally done'])
    expect(userText(model.calls[0])).toContain('[INFO]:\nfrom a handler')
    expect(events[0]).toEqual({ type: 'custom', name: 'hello', data: 1 })
    expect(events[1]).toEqual({ type: 'reasoning', delta: 'hm' })
    expect(events.map((event: TurnEvent) => ('name' in event ? event.name : event.type)).slice(2)).toEqual(
      expect.arrayContaining(['delta', 'saw', 'done', 'end']),
    )
  })

  it.each([
    ['reads the result', async (run: ReturnType<typeof runOf>) => void (await run.result())],
    [
      'breaks off after the first delta',
      async (run: ReturnType<typeof runOf>) => {
        for await (const _ of run.text()) break
        await run.result().catch(() => undefined)
      },
    ],
    [
      'reads twice',
      async (run: ReturnType<typeof runOf>) => void (await Promise.all([run.result(), all(run.text()), run.result()])),
    ],
    [
      'stops it',
      async (run: ReturnType<typeof runOf>) => {
        for await (const _ of run.text()) run.stop()
      },
    ],
  ])('finally is called exactly once when the reader %s', async (_, read) => {
    let count = 0
    const run = runOf(() => count++)
    await read(run).catch(() => undefined)
    await run.result().catch(() => undefined)
    expect(count).toBe(1)
  })

  function runOf(onFinally: () => void) {
    const { agent } = agentFor(() => [{ text: 'some words', chunks: 5, delayMs: 1 }])
    return agent.use({ finally: onFinally }).turn().input('q').run()
  }

  it('an error in one ends the run, and finally gets it', async () => {
    const { agent } = agentFor(() => [{ text: 'x', chunks: 1 }, { gate: 'never' }])
    const errors: unknown[] = []
    agent.use({
      broadcastSuffix: {
        delta: () => {
          throw new Error('broken handler')
        },
      },
      finally: ({ error }) => void errors.push(error),
    })
    await expect(agent.turn().input('q').run().result()).rejects.toThrow('broken handler')
    expect(errors).toEqual([expect.objectContaining({ message: 'broken handler' })])
  })

  it('an error in finally is an error of the result, and the other handlers still run', async () => {
    const { agent } = agentFor(() => [{ text: 'x' }])
    let second = 0
    agent.use({ finally: () => Promise.reject(new Error('disk full')) }).use({ finally: () => void second++ })
    await expect(agent.turn().input('q').run().result()).rejects.toThrow('disk full')
    expect(second).toBe(1)
  })
})
