import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Script, scriptedModel } from '../../../core/src/testing/index.ts'
import { createAgent } from '../agent.ts'

const forecast = z.object({ city: z.string(), temp: z.number() })

function weatherTurn(before: string) {
  const call = { name: 'lookUp', input: { city: 'Brest' } }
  const script: Script = [
    [...(before === '' ? [] : [{ text: before, chunks: 4 }]), { call }],
    [{ text: '{"city": "Brest", "temp": 12}', chunks: 5 }],
  ]
  const agent = createAgent({ name: 'guide', model: scriptedModel(script), planning: 'native' })
  agent.registerTool({
    name: 'lookUp',
    description: 'Looks a city up.',
    input: z.object({ city: z.string() }),
    readOnly: true,
    execute: () => '12 degrees',
  })
  return agent.turn().input('How warm is it?').output(forecast)
}

describe('text before a tool call is not part of the answer', () => {
  const preambles = [
    '',
    'Let me look.',
    '{"city": "Brest", "temp": 99}',
    'I will answer like {"city": "?", "temp": 0} after I look.',
    '{"city": "Brest", "temp":',
    '```json\n{"city": "B',
    '[1, 2',
    '"an open string',
    '{"city": "Brest", "temp": 1} {"city": "Brest", "temp": 2}',
  ]
  it.each(preambles)('%s', async (before) => {
    const seen: number[] = []
    const run = weatherTurn(before).run()
    run.when('temp', (value) => void seen.push(value))
    const early = run.key('temp')
    const events = Array.fromAsync(run.instant())
    const { data, attempts, toolLogs } = await run.result()
    expect({ data, attempts, calls: toolLogs.length }).toEqual({
      data: { city: 'Brest', temp: 12 },
      attempts: 1,
      calls: 1,
    })
    expect([await early, await run.key('temp'), seen]).toEqual([12, 12, [12]])
    const last = (await events).findLast((event) => event.type === 'value' && event.path === 'temp')
    expect(last).toMatchObject({ value: 12 })
  })

  it('is not judged by validators of keys either', async () => {
    const checked: number[] = []
    const turn = weatherTurn('{"city": "Brest", "temp": 99}').validate('temp', (temp) => {
      checked.push(temp)
      return temp < 50
    })
    expect((await turn.run().result()).attempts).toBe(1)
    expect(checked).toEqual([12])
  })
})

describe('a scalar is complete or the model is asked again', () => {
  const ask = (schema: z.ZodType, first: string, second: string) =>
    createAgent({ name: 'counter', model: scriptedModel([[{ text: first, chunks: 3 }], [{ text: second }]]) })
      .turn()
      .input('How many?')
      .output(schema)
      .run()
      .result()

  it.each([
    ['12,111', '12111', z.int()],
    ['1 000', '1000', z.number()],
    ['3.5 million', '3500000', z.number()],
    ['2 or 3', '2', z.number()],
    ['1. The answer is 42', '42', z.number()],
    ['true or false? false', 'false', z.boolean()],
    ['"yes" or "no"', '"no"', z.string()],
    ['[3[4]]', '[3, 4]', z.array(z.number())],
    ['[5 [6], 7]', '[5, 6, 7]', z.array(z.number())],
    ['[true[1]]', '[true]', z.array(z.boolean())],
    ['{"a": 5, "a": 6}', '{"a": 6}', z.object({ a: z.number() })],
  ] as const)('%s', async (first, second, schema) => {
    const { data, attempts } = await ask(schema, first, second)
    expect({ data, attempts }).toEqual({ data: JSON.parse(second) as unknown, attempts: 2 })
  })

  it.each([
    ['42', 42, z.int()],
    ['\n 42 \n', 42, z.int()],
    ['```json\n42\n```\nThat is all.', 42, z.int()],
    ['"yes"\n', 'yes', z.string()],
    ['```\n"yes"\n```', 'yes', z.string()],
    ['-1.5e3', -1500, z.number()],
  ] as const)('%s is whole', async (text, data, schema) => {
    expect(await ask(schema, text, '0')).toMatchObject({ data, attempts: 1 })
  })
})

describe('a prompt function with a single value', () => {
  const numberOf = (text: string, output: z.ZodType) =>
    createAgent({ name: 'counter', model: scriptedModel([[{ text }], [{ text: '{"value": null}' }]]) }).autoFunc({
      name: 'count',
      instruct: 'Count.',
      input: z.object({ of: z.string() }),
      output,
    })

  it.each([
    ['42', 42, z.int()],
    ['{"value": 42}', 42, z.int()],
    ['yes', 'yes', z.enum(['yes', 'no'])],
    ['**Yes**', 'Yes', z.enum(['Yes', 'No'])],
    ['no.', 'no', z.enum(['yes', 'no'])],
    ['True', true, z.boolean()],
    ['It rains.', 'It rains.', z.string()],
  ] as const)('accepts the bare answer %s', async (text, data, output) => {
    const run = numberOf(text, output).stream({ of: 'x' })
    expect(await run.result()).toMatchObject({ data, attempts: 1 })
    expect(await run.key('value' as never)).toBe(data)
  })

  it('asks again if the bare answer contains more than the value', async () => {
    const count = numberOf('about 42 or so', z.int().nullable())
    expect(await count.stream({ of: 'x' }).result()).toMatchObject({ data: null, attempts: 2 })
  })
})

describe('the finish reason of a rejected answer', () => {
  it('is reported to the caller and to the model', async () => {
    const model = scriptedModel(() => [{ text: '{"city": "Br' }, { finish: 'length' }])
    const run = createAgent({ name: 'guide', model }).turn().input('x').output(forecast).retries(1).run()
    await expect(run.result()).rejects.toMatchObject({
      name: 'OutputNotAccepted',
      message: expect.stringContaining("cut off at the model's output limit") as string,
      data: { finishReason: 'length', attempts: 2 },
    })
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('Answer in fewer words')
  })

  it('ends a text turn that only called tools, and warns if there is some text', async () => {
    const calling = (text?: string) => {
      const turn = [...(text === undefined ? [] : [{ text }]), { call: { name: 'again', input: {} } }]
      const agent = createAgent({ name: 'x', model: scriptedModel(() => turn), limits: { steps: 2 } })
      agent.registerTool({ name: 'again', description: 'x', input: z.object({}), readOnly: true, execute: () => 'ok' })
      return agent.turn().input('go').run()
    }
    await expect(calling().result()).rejects.toMatchObject({ name: 'TurnStopped', data: { reason: 'steps' } })
    const run = calling('Still looking.')
    const events = Array.fromAsync(run.events())
    expect((await run.result()).extra['stopped']).toMatchObject({ reason: 'steps' })
    expect((await events).filter(({ type }) => type === 'warning')).toHaveLength(1)
  })
})
