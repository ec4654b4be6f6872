import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Script, scriptedModel } from '../../../core/src/testing/index.ts'
import type { Answer, Ask } from '../../../core/src/tool/asks.ts'
import { createAgent } from '../agent.ts'

function savingAgent(answer: (ask: Ask) => Answer, turns = 1) {
  const call = (n: number) => ({ call: { name: 'save', input: { n } } })
  const turn: Script = [[call(1)], [call(2)], [call(3)], [{ text: 'Saved.' }]]
  const asked: Ask[] = []
  const saved: number[] = []
  const agent = createAgent({
    name: 'clerk',
    model: scriptedModel(Array.from({ length: turns }, () => turn).flat()),
    planning: 'native',
    ask(ask) {
      asked.push(ask)
      return answer(ask)
    },
  })
  agent.registerTool({
    name: 'save',
    description: 'Saves a number.',
    input: z.object({ n: z.number() }),
    needsApproval: true,
    execute({ n }) {
      saved.push(n)
      return `saved ${n}`
    },
  })
  return { agent, asked, saved }
}

describe('approvals of a program', () => {
  it('ask for every call unless they are remembered', async () => {
    const { agent, asked, saved } = savingAgent(() => ({ type: 'approve' }))
    await agent.turn().input('go').run().result()
    expect([asked.length, saved]).toEqual([3, [1, 2, 3]])
  })

  it('are remembered for the session, or for the agent', async () => {
    const session = savingAgent(() => ({ type: 'approve', remember: 'session' }), 2)
    await session.agent.turn().input('go').run().result()
    expect([session.asked.length, session.saved]).toEqual([1, [1, 2, 3]])
    await session.agent.turn().input('go').run().result()
    expect(session.asked).toHaveLength(2)
    const always = savingAgent(() => ({ type: 'approve', remember: 'always' }), 2)
    await always.agent.turn().input('go').run().result()
    await always.agent.turn().input('go').run().result()
    expect([always.asked.length, always.saved.length]).toEqual([1, 6])
  })

  it('can change the input, and the log shows the input that ran', async () => {
    const { agent, saved } = savingAgent((ask) => ({
      type: 'approve',
      input: { n: (ask.input as { n: number }).n * 10 },
    }))
    const { toolLogs } = await agent.turn().input('go').run().result()
    expect([saved, toolLogs.map(({ kwargs }) => kwargs)]).toEqual([
      [10, 20, 30],
      [{ n: 10 }, { n: 20 }, { n: 30 }],
    ])
  })

  it('say which answers there are when one is of no known kind', async () => {
    const { agent, saved } = savingAgent(() => ({ type: 'allow' }) as never)
    const { toolLogs } = await agent.turn().input('go').run().result()
    expect([saved, toolLogs[0]?.error]).toEqual([[], expect.stringContaining("{ type: 'approve' }")])
  })
})

it('a prompt function is a tool for another agent', async () => {
  const counter = createAgent({ name: 'counter', model: scriptedModel([[{ text: '3' }]]) })
  const count = counter.autoFunc({
    name: 'countWords',
    instruct: 'Count the words.',
    input: z.object({ text: z.string() }),
    output: z.int(),
  })
  const model = scriptedModel([[{ call: { name: 'countWords', input: { text: 'a b c' } } }], [{ text: 'Three.' }]])
  const agent = createAgent({ name: 'reader', model, planning: 'native' }).useTools([count])
  const { toolLogs } = await agent.turn().input('How many?').run().result()
  expect(toolLogs).toMatchObject([{ name: 'countWords', result: 3 }])
  expect(agent.getToolList()[0]).toMatchObject({ description: 'Count the words.', readOnly: true })
})

it('a tool accepts any Standard Schema with a JSON Schema', async () => {
  const properties = { n: { type: 'number' } }
  const input = {
    '~standard': {
      version: 1 as const,
      vendor: 'own',
      validate: (value: unknown) => {
        const { n } = Object(value) as { n?: unknown }
        return typeof n === 'number' ? { value: { n } } : { issues: [{ message: 'must be a number', path: ['n'] }] }
      },
      jsonSchema: { input: () => ({ type: 'object', properties, required: ['n'] }) },
    },
  }
  const model = scriptedModel([
    [{ call: { name: 'double', input: { n: 'x' } } }],
    [{ call: { name: 'double', input: { n: 4 } } }],
    [{ text: 'Eight.' }],
  ])
  const agent = createAgent({ name: 'x', model, planning: 'native' })
  agent.registerTool({ name: 'double', input, readOnly: true, execute: (given) => (given?.n ?? 0) * 2 })
  const { toolLogs } = await agent.turn().input('go').run().result()
  expect(toolLogs).toMatchObject([{ error: expect.stringContaining('must be a number') as string }, { result: 8 }])
  expect(agent.getToolList()[0]?.kwargs).toEqual({ type: 'object', properties, required: ['n'] })
})

it('an agent declares the kind of model it needs', () => {
  const create = (model: unknown) => () => createAgent({ name: 'x', model: model as never })
  expect(create('openai/gpt-5')).toThrow('but got the name "openai/gpt-5"')
  expect(create({ specificationVersion: 'v2' })).toThrow('a model with interface "v2"')
})
