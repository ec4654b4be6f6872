import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { buildTools, getBuiltinTools } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { checkProvider } from '../provider.ts'
import demo from '../providers/demo.ts'
import { demoModel, demoSpeed } from './demo-model.ts'
import { examples, findScene } from './scenes.ts'

const builtin = getBuiltinTools()
type ToolOutput = Extract<LanguageModelV4Prompt[number], { role: 'tool' }>['content'][number] & { type: 'tool-result' }

interface Play {
  /** Names of tools that are offered. */
  tools?: string[]
  /** What a person says to a call that asks: the approval's data, or a refusal with its words. */
  answer?: { data?: unknown } | { deny: string }
  earlier?: LanguageModelV4Prompt
}

/** Plays a conversation to its end with the real tools, in the shapes in which a run hands results to a model. */
async function play(text: string, options: Play = {}) {
  const offered = options.tools ? builtin.filter(({ name }) => options.tools?.includes(name)) : builtin
  const model = demoModel({ speed: 'instant' })
  const prompt: LanguageModelV4Prompt = [
    ...(options.earlier ?? []),
    { role: 'user', content: [{ type: 'text', text }] },
  ]
  const steps: {
    text: string
    reasoning: string
    calls: { name: string; input: unknown; output: ToolOutput['output'] }[]
  }[] = []

  for (;;) {
    if (steps.length > 20) throw new Error(`"${text}" does not end`)
    const { stream } = await model.doStream({ prompt, tools: buildTools(offered) })
    const parts = await Array.fromAsync(stream)
    const calls = parts.filter((part) => part.type === 'tool-call')
    const step = {
      text: joined(parts, 'text-delta'),
      reasoning: joined(parts, 'reasoning-delta'),
      calls: [] as never[],
    }
    steps.push(step)
    if (calls.length === 0) return { steps, prompt, text: step.text, finish: parts.at(-1) }

    const results: ToolOutput[] = []
    for (const { toolCallId, toolName, input } of calls) {
      const output = await run(toolName, JSON.parse(input), options.answer)
      results.push({ type: 'tool-result', toolCallId, toolName, output })
      ;(step.calls as unknown[]).push({ name: toolName, input: JSON.parse(input), output })
    }
    prompt.push(
      {
        role: 'assistant',
        content: calls.map(({ toolCallId, toolName, input }) => ({
          type: 'tool-call',
          toolCallId,
          toolName,
          input: JSON.parse(input),
        })),
      },
      { role: 'tool', content: results },
    )
  }

  async function run(name: string, input: unknown, answer: Play['answer']): Promise<ToolOutput['output']> {
    const tool = offered.find((one) => one.name === name)
    if (!tool) throw new Error(`the demo called ${name}, which was not offered`)
    if (answer && 'deny' in answer && tool.needsApproval === true) return { type: 'error-text', value: answer.deny }
    const approval = answer && 'data' in answer ? { approval: answer.data } : {}
    try {
      const output = (await tool.execute(tool.input.parse(input), testToolContext(approval))) as never
      return tool.toModel ? { type: 'text', value: tool.toModel(output, input) } : { type: 'json', value: output }
    } catch (error) {
      return { type: 'error-text', value: (error as Error).message }
    }
  }
}

function joined(parts: LanguageModelV4StreamPart[], type: 'text-delta' | 'reasoning-delta'): string {
  return parts.flatMap((part) => (part.type === type ? [part.delta] : [])).join('')
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('what it understands', () => {
  test('there are a dozen examples in each language, and each finds a scene of its own', () => {
    for (const language of ['en', 'zh'] as const) {
      expect(examples[language]).toHaveLength(12)
      const scenes = examples[language].map(findScene)
      expect(new Set(scenes).size).toBe(12)
      for (const [index, scene] of scenes.entries()) expect(scene?.example[language]).toBe(examples[language][index])
    }
  })

  test.each([...examples.en, ...examples.zh])('“%s” runs to its end', async (text) => {
    const { text: answer, finish } = await play(text)
    expect(answer.length).toBeGreaterThan(5)
    expect(answer).not.toMatch(/undefined|NaN|\[object/)
    expect(/\p{Script=Han}{3}/u.test(answer)).toBe(examples.zh.includes(text))
    expect(finish).toMatchObject({ type: 'finish', usage: { raw: { estimated: true } } })
  })

  test.each([
    ['hi there', 'Hello'],
    ['HELP', 'Hello'],
    ['What can you do?', 'Hello'],
    ['what time is it', 'What time is it in Tokyo?'],
    ['make a plan', 'Plan a trip to Kyoto'],
    ['Ask for my permission please', 'Ask me for approval'],
    ['let a tool fail', 'Show me a failing tool'],
    ['count to 5', 'Count slowly to 30'],
    ['say hello', 'Repeat after me: the sea is calm today'],
    ['Repeat after me: what time is it', 'Repeat after me: the sea is calm today'],
    ['recap', 'Summarise our conversation so far'],
  ])('“%s” is understood like “%s”', (text, example) => {
    expect(findScene(text)?.example.en).toBe(example)
  })

  test('anything else is answered with the plain truth and the list', async () => {
    const { text } = await play('Write me a sonnet about Rust')
    expect(text).toContain('I am a script, not an AI')
    for (const example of examples.en.slice(1)) expect(text).toContain(example)
    expect((await play('写一首诗')).text).toContain('不是人工智能')
    expect((await play('')).text).toContain('not an AI')
  })
})

describe('scenes', () => {
  test('the time in Tokyo comes from one call', async () => {
    const { steps, text } = await play('What time is it in Tokyo?')
    expect(steps.flatMap(({ calls }) => calls.map(({ name, input }) => [name, input]))).toEqual([
      ['TimeNow', { timezone: 'Asia/Tokyo' }],
    ])
    expect(text).toMatch(/^In Tokyo it is \*\*\d\d:\d\d\*\* on \w+day, \d{4}-\d\d-\d\d\.$/)
    expect((await play('东京现在几点？')).text).toMatch(/^东京现在是 .*星期.\S*\*\*\d\d:\d\d\*\*。$/)
  })

  test('several cities in one question are asked in one step', async () => {
    const { steps } = await play('What time is it in Paris, New York and London?')
    expect(steps[0]?.calls.map(({ input }) => (input as { timezone: string }).timezone)).toEqual([
      'Europe/Paris',
      'America/New_York',
      'Europe/London',
    ])
  })

  test('an unknown city is left to the tool, and its proposal is followed', async () => {
    const { steps, text } = await play('What time is it in Reykjavik?')
    expect(steps.flatMap(({ calls }) => calls.map(({ input }) => input))).toEqual([
      { timezone: 'Reykjavik' },
      { timezone: 'Atlantic/Reykjavik' },
    ])
    expect(text).toMatch(/^In Atlantic\/Reykjavik it is/)
  })

  test('a plan is written, worked off and completed with at most one todo in progress', async () => {
    const { steps, text } = await play('Plan a trip to New Zealand')
    const lists = steps.flatMap(({ calls }) =>
      calls.map(({ input }) => (input as { todos: { status: string }[] }).todos),
    )
    expect(lists.map((list) => list.filter(({ status }) => status === 'completed').length)).toEqual([0, 1, 2, 3])
    expect(steps.flatMap(({ calls }) => calls.map(({ output }) => output.type))).toEqual([
      'text',
      'text',
      'text',
      'text',
    ])
    expect(text).toContain('New Zealand')
    expect((await play('去杭州的旅行计划')).text).toContain('杭州的计划')
  })

  test('an approval is told with what it carried', async () => {
    expect((await play('Ask me for approval', { answer: { data: { note: 'fine' } } })).text).toContain(
      '{"note":"fine"}',
    )
    expect((await play('请求我批准')).text).toBe('您批准了，调用已执行。')
  })

  test('a refusal is taken and quoted', async () => {
    const { steps, text } = await play('Ask me for approval', { answer: { deny: 'not today' } })
    expect(steps).toHaveLength(2)
    expect(text).toContain('nothing was done')
    expect(text).toContain('not today')
  })

  test('the failing tool really fails, and the demo follows its advice', async () => {
    const { steps, text } = await play('Show me a failing tool')
    const outputs = steps.flatMap(({ calls }) => calls.map(({ output }) => output.type))
    expect(outputs).toEqual(['error-text', 'json'])
    expect(steps[1]?.text).toContain('> "Mars/Olympus_Mons" is not a time zone.')
    expect(text).toContain('The first call failed')
  })

  test('many calls are made in one step', async () => {
    const { steps, text } = await play('Make many calls at once')
    expect(steps.map(({ calls }) => calls.length)).toEqual([5, 0])
    expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(7)
  })

  test('thinking comes as reasoning before the answer', async () => {
    const { steps } = await play('Think about a puzzle')
    expect(steps[0]?.reasoning).toContain('Six people')
    expect(steps[0]?.text).toContain('15')
  })

  test('the long answer has headings, a table and code in two languages', async () => {
    for (const text of ['Write a long answer with a table and code', '写一个带表格和代码的长回答']) {
      const { text: answer } = await play(text)
      for (const piece of ['\n## ', '|---|', '```ts', '```python']) expect(answer).toContain(piece)
    }
  })

  test('counting goes to the asked number and not beyond its limit', async () => {
    expect((await play('count slowly to 4')).text).toBe('1, 2, 3, 4. Done.')
    expect((await play('count to 0')).text).toBe('1. Done.')
    expect((await play('count to 5000')).text).toMatch(/200\. Done\. I stop at 200/)
  })

  test('words are repeated as they were said', async () => {
    expect((await play('Repeat after me: What time is it,\nDr. Who?')).text).toBe('What time is it,\nDr. Who?')
    expect((await play('跟我说：你好，世界')).text).toBe('你好，世界')
  })

  test('the summary counts what came before', async () => {
    const first = await play('What time is it?')
    const earlier: LanguageModelV4Prompt = [
      ...first.prompt,
      { role: 'assistant', content: [{ type: 'text', text: first.text }] },
    ]
    const { text } = await play('Summarise our conversation so far', { earlier })
    expect(text).toContain('1 from you, 2 steps of mine with 1 tool calls')
    expect(text).toContain('1. What time is it?')
    expect((await play('Summarise our conversation so far')).text).toBe('There is nothing before this message.')
  })

  test('a tool that is not offered is named instead of called', async () => {
    const { steps, text } = await play('What time is it?', { tools: ['TodoWrite'] })
    expect(steps).toHaveLength(1)
    expect(text).toContain('`TimeNow`, which is not offered')
    expect((await play('请求我批准', { tools: [] })).text).toContain('`TestApproval`')
  })

  test('the same conversation gets the same answer from another process', async () => {
    const { prompt } = await play('Plan a trip to Kyoto')
    const middle = prompt.slice(0, 5)
    const again = async () =>
      Array.fromAsync(
        (await demoModel({ speed: 'instant' }).doStream({ prompt: middle, tools: buildTools(builtin) })).stream,
      )
    expect(await again()).toEqual(await again())
  })
})

describe('pace', () => {
  test('a greeting waits at most 150 ms in total, a long answer takes its time, instant waits not at all', async () => {
    const waits: number[] = []
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms: number) => {
      waits.push(ms)
      queueMicrotask(done)
      return 0
    }) as never)
    const total = async (text: string, speed: number | 'instant') => {
      waits.length = 0
      const model = demoModel({ speed })
      const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text }] }] })
      await Array.fromAsync(stream)
      return waits.reduce((sum, ms) => sum + ms, 0)
    }
    const greeting = await total('hello', 1)
    expect(greeting).toBeGreaterThan(50)
    expect(greeting).toBeLessThanOrEqual(150)
    const long = await total('Write a long answer', 1)
    expect(long).toBeGreaterThan(2000)
    expect(await total('Write a long answer', 4)).toBeCloseTo(long / 4)
    for (const text of examples.en) expect(await total(text, 'instant')).toBe(0)
  })

  test('the speed comes from TROUPE_DEMO_SPEED, and a bad one says what to set', () => {
    expect([demoSpeed(undefined), demoSpeed('2.5'), demoSpeed('instant')]).toEqual([1, 2.5, 'instant'])
    vi.stubEnv('TROUPE_DEMO_SPEED', 'fast')
    expect(() => demoModel()).toThrow('TROUPE_DEMO_SPEED is "fast"; set it to a factor such as 2, or to instant.')
  })
})

describe('as a provider', () => {
  test('it passes the check of providers and needs no key', async () => {
    const definition = checkProvider(demo, 'demo')
    expect(definition).toMatchObject({ id: 'demo', needsKey: false })
    expect(definition.models).toMatchObject([{ id: 'tour', name: 'Demo tour', provider: 'demo' }])
    expect(definition.models[0]?.tags).toContain('demo')
    expect(definition.models[0]?.capabilities?.common).toMatchObject({ examples: examples.en })
    expect(JSON.stringify(definition.models[0])).toContain('not an AI')
    const model = (await definition.create({}))('tour')
    expect([model.provider, model.modelId]).toEqual(['demo', 'tour'])
  })
})
