import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Script, scriptedModel } from '../../core/src/testing/index.ts'
import { createAgent } from './agent.ts'

const agentFor = (script: Script) => {
  const model = scriptedModel(script)
  return { model, agent: createAgent({ name: 'maths', model }) }
}

const userText = (call: { prompt: readonly { role: string; content: unknown }[] } | undefined): string =>
  (call?.prompt.at(-1)?.content as { text: string }[] | undefined)?.[0]?.text ?? ''

describe('a prompt function', () => {
  it('validates its input, returns its output, and describes itself to the model', async () => {
    const { agent, model } = agentFor([[{ text: '{"title": "Go", "tags": ["a"]}' }]])
    const classify = agent.autoFunc({
      name: 'classify',
      instruct: 'Give the text a title and tags.',
      input: z.object({ text: z.string(), count: z.number().default(3) }),
      output: z.object({ title: z.string(), tags: z.array(z.string()) }),
    })
    const made = await classify({ text: 'go to sea' })
    expect(made.tags satisfies string[]).toEqual(['a'])
    expect(userText(model.calls[0])).toContain('[INSTRUCT]:\nGive the text a title and tags.')
    expect(userText(model.calls[0])).toContain('[INPUT]:\ntext: go to sea\ncount: 3')
  })

  it.each([
    ['a number', z.number(), 42],
    ['a text', z.string(), 'yes'],
    ['a choice', z.enum(['a', 'b']), 'b'],
    ['nothing or a number', z.number().nullable(), null],
  ])('wraps and unwraps %s', async (_, output: z.ZodType, value) => {
    const { agent, model } = agentFor([[{ text: JSON.stringify({ value }) }]])
    const call = agent.autoFunc({ name: 'f', instruct: 'Do it.', input: z.object({}), output })
    expect(await call({})).toEqual(value)
    expect(userText(model.calls[0])).toContain('"value":')
  })

  it('returns lists unwrapped', async () => {
    const { agent } = agentFor([[{ text: '["a", "b"]' }]])
    const call = agent.autoFunc({ name: 'f', instruct: 'Do it.', input: z.object({}), output: z.array(z.string()) })
    expect(await call({})).toEqual(['a', 'b'])
  })

  it('can be streamed', async () => {
    const { agent, model } = agentFor(() => [{ text: '{"a": "one", ' }, { gate: 'half' }, { text: '"b": "two"}' }])
    const call = agent.autoFunc({
      name: 'f',
      instruct: 'Do it.',
      input: z.object({}),
      output: z.object({ a: z.string(), b: z.string() }),
    })
    const run = call.stream({})
    expect(await run.key('a')).toBe('one')
    model.open('half')
    expect((await run.result()).data).toEqual({ a: 'one', b: 'two' })
    const single = agentFor(() => [{ text: '{"value": 7}' }]).agent.autoFunc({
      name: 'g',
      instruct: 'Do it.',
      input: z.object({}),
      output: z.number(),
    })
    expect(await single.stream({}).key('value')).toBe(7)
  })

  it('parallel calls are independent', async () => {
    const { agent } = agentFor((prompt) => {
      const n = /n: (\d+)/.exec(userText({ prompt: prompt as never }))?.[1]
      return [{ text: JSON.stringify({ value: Number(n) * 2 }), chunks: 4 }]
    })
    const double = agent.autoFunc({
      name: 'double',
      instruct: 'Double n.',
      input: z.object({ n: z.number() }),
      output: z.number(),
    })
    expect(await Promise.all([1, 2, 3, 4, 5].map((n) => double({ n })))).toEqual([2, 4, 6, 8, 10])
  })

  it('rejects an invalid input before any request', async () => {
    const { agent, model } = agentFor([])
    const call = agent.autoFunc({
      name: 'f',
      instruct: 'Do it.',
      input: z.object({ n: z.number() }),
      output: z.number(),
    })
    await expect(call({} as { n: number })).rejects.toThrow(TypeError)
    await expect(call({} as { n: number })).rejects.toThrow(/The input of f is invalid. n: /)
    expect(model.calls).toHaveLength(0)
  })

  it('cannot be a generator, nor any function', () => {
    const { agent } = agentFor([])
    const make = (given: unknown) => () => agent.autoFunc(given as never)
    expect(make(function* () {})).toThrow(
      new TypeError('A generator function is not supported. Use stream() of an auto function.'),
    )
    expect(make(async function* () {})).toThrow(/generator/)
    expect(make(() => 1)).toThrow(TypeError)
  })
})
