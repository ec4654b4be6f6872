import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  type Answer,
  buildTools,
  createMemoryAsks,
  createMemoryLog,
  createPolicy,
  decide,
  getBuiltinTools,
  type Media,
  type MediaTask,
  project,
  run,
} from '@troupe/core'
import type { Message, StoredMessage } from '@troupe/protocol'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import demo from '../providers/demo.ts'
import { checkProvider } from '../providers/shared/provider.ts'
import { demoModel, demoSpeed } from './demo-model.ts'
import { examples, findScene, suggestions } from './scenes.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-demo-'))
writeFileSync(path.join(folder, 'notes.md'), '# Notes\n')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Play {
  tools?: string[]
  answer?: Answer
  earlier?: StoredMessage[]
}

interface Step {
  text: string
  reasoning: string
  calls: { type: string; state: string; input: unknown; output?: unknown; errorText?: string }[]
}

const painted: MediaTask = {
  id: 'task_1',
  kind: 'image',
  model: 'demo/painter',
  prompt: '',
  status: 'done',
  files: [],
  warnings: [],
  createdAt: 0,
}
const painter: Media = {
  start: () => Promise.resolve(painted),
  get: () => Promise.resolve(painted),
  ended: () => Promise.resolve(painted),
}

async function play(text: string, { tools, answer = { type: 'approve' }, earlier = [] }: Play = {}) {
  const user: StoredMessage = {
    id: `u${earlier.length}`,
    parentMessageId: null,
    role: 'user',
    parts: [{ type: 'text', text }],
    createdAt: 0,
  }
  const { message, status } = await run({
    runId: 'r1',
    messageId: `a${earlier.length}`,
    session: { id: 's1' },
    workspace: { id: 'w1', path: folder },
    frames: [{ kind: 'master', name: 'master', depth: 0, path: ['master'] }],
    model: { id: 'demo/tour', model: demoModel({ speed: 'instant' }) },
    tools: getBuiltinTools().filter(({ name }) => tools?.includes(name) ?? true),
    history: [...earlier, user],
    limits: { steps: 20 },
    signal: new AbortController().signal,
    log: createMemoryLog(),
    asks: createMemoryAsks(() => answer),
    media: painter,
    decide: (call, ctx) => decide(call, ctx, createPolicy()),
  })
  expect(status).toBe('done')
  expect(message.metadata?.stopped).toBeUndefined()
  const steps = stepsOf(message)
  const answered: StoredMessage = { ...message, parentMessageId: user.id, createdAt: 0 }
  return { steps, message, text: steps.at(-1)?.text ?? '', conversation: [...earlier, user, answered] }
}

function stepsOf(message: Message): Step[] {
  const steps: Step[] = []
  for (const part of message.parts) {
    const step = steps.at(-1)
    if (part.type === 'step-start') steps.push({ text: '', reasoning: '', calls: [] })
    else if (part.type === 'text' && step) step.text += part.text
    else if (part.type === 'reasoning' && step) step.reasoning += part.text
    else if ('toolCallId' in part && step) step.calls.push(part as Step['calls'][number])
  }
  return steps
}

const callsOf = (steps: Step[]) => steps.flatMap(({ calls }) => calls)

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('recognized requests', () => {
  test('the examples are the same in each language, and each has its own scene', () => {
    for (const language of ['en', 'zh'] as const) {
      expect(examples[language]).toHaveLength(examples.en.length)
      const scenes = examples[language].map(findScene)
      expect(new Set(scenes).size).toBe(examples.en.length)
      for (const [index, scene] of scenes.entries()) expect(scene?.example[language]).toBe(examples[language][index])
    }
  })

  test.each([...examples.en, ...examples.zh])('“%s” runs to its end', async (text) => {
    const { text: answer, message } = await play(text)
    expect(answer.length).toBeGreaterThan(5)
    expect(answer).not.toMatch(/undefined|NaN|\[object/)
    expect(/\p{Script=Han}{3}/u.test(answer)).toBe(examples.zh.includes(text))
    expect(message.metadata?.usage?.outputTokens).toBeGreaterThan(0)
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
    ['recap', 'Summarize our conversation so far'],
  ])('“%s” is understood like “%s”', (text, example) => {
    expect(findScene(text)?.example.en).toBe(example)
  })

  test('anything else is answered with an explanation and the list', async () => {
    const { text } = await play('Write me a sonnet about Rust')
    expect(text).toContain('I’m a script, not an AI')
    for (const example of examples.en.slice(1)) expect(text).toContain(example)
    expect((await play('写一首诗')).text).toContain('不是 AI')
    expect((await play('')).text).toContain('not an AI')
  })
})

describe('scenes', () => {
  test('the time in Tokyo needs one call', async () => {
    const { steps, text } = await play('What time is it in Tokyo?')
    expect(callsOf(steps)).toMatchObject([{ type: 'tool-TimeNow', input: { timezone: 'Asia/Tokyo' } }])
    expect(text).toMatch(/^It’s \*\*\d\d:\d\d\*\* in Tokyo on \w+day, \d{4}-\d\d-\d\d\.$/)
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
    expect(callsOf(steps).map(({ input }) => input)).toEqual([
      { timezone: 'Reykjavik' },
      { timezone: 'Atlantic/Reykjavik' },
    ])
    expect(text).toMatch(/^It’s \S+ in Atlantic\/Reykjavik/)
  })

  test('a plan is written, worked off and completed with at most one todo in progress', async () => {
    const { steps, text } = await play('Plan a trip to New Zealand')
    const lists = callsOf(steps).map(({ output }) => (output as { todos: { status: string }[] }).todos)
    expect(lists.map((list) => list.filter(({ status }) => status === 'completed').length)).toEqual([0, 1, 2, 3])
    expect(text).toContain('New Zealand')
    expect((await play('去杭州的旅行计划')).text).toContain('杭州的计划')
  })

  test('an approval is waited for', async () => {
    expect((await play('Ask me for approval')).text).toBe('You approved, so the tool call ran.')
    expect((await play('请求我批准')).text).toBe('你批准了，工具调用已执行。')
  })

  test('a denial is accepted and quoted', async () => {
    const { steps, text } = await play('Ask me for approval', { answer: { type: 'deny', remark: 'not today' } })
    expect(steps).toHaveLength(2)
    expect(text).toContain('nothing was done')
    expect(text).toContain('not today')
  })

  test('the failing tool really fails, and the demo follows its advice', async () => {
    const { steps, text } = await play('Show me a failing tool')
    expect(callsOf(steps).map(({ state }) => state)).toEqual(['output-error', 'output-available'])
    expect(steps[1]?.text).toContain('> "Mars/Olympus_Mons" is not a time zone.')
    expect(text).toContain('The first tool call failed')
  })

  test('many calls are made in one step', async () => {
    const { steps, text } = await play('Make several tool calls at once')
    expect(steps.map(({ calls }) => calls.length)).toEqual([5, 0])
    expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(7)
  })

  test('thinking is sent as reasoning before the answer', async () => {
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

  test('counting goes to the requested number, up to its limit', async () => {
    expect((await play('count slowly to 4')).text).toBe('1, 2, 3, 4. Done.')
    expect((await play('count to 0')).text).toBe('1. Done.')
    expect((await play('count to 5000')).text).toMatch(/200\. Done\. I stop at 200/)
  })

  test('words are repeated exactly', async () => {
    expect((await play('Repeat after me: What time is it,\nDr. Who?')).text).toBe('What time is it,\nDr. Who?')
    expect((await play('跟我说：你好，世界')).text).toBe('你好，世界')
  })

  test('the summary counts earlier messages', async () => {
    const { conversation } = await play('What time is it?')
    const { text } = await play('Summarize our conversation so far', { earlier: conversation })
    expect(text).toContain('Your messages: 1. My steps: 2. Tool calls: 1.')
    expect(text).toContain('1. What time is it?')
    expect((await play('Summarize our conversation so far')).text).toBe('There are no earlier messages.')
  })

  test('a tool that is not offered is named instead of called', async () => {
    const { steps, text } = await play('What time is it?', { tools: ['TodoWrite'] })
    expect(steps).toHaveLength(1)
    expect(text).toContain('`TimeNow`, which isn’t available')
    expect((await play('请求我批准', { tools: [] })).text).toContain('`ImageGenerate`')
  })

  test('the same conversation gets the same answer from another process', async () => {
    const { conversation } = await play('Plan a trip to Kyoto')
    const prompt: LanguageModelV4Prompt = project(conversation).slice(0, 5)
    const again = async () => {
      const { stream } = await demoModel({ speed: 'instant' }).doStream({
        prompt,
        tools: buildTools(getBuiltinTools()),
      })
      return Array.fromAsync(stream)
    }
    const parts = await again()
    expect(parts.some(({ type }) => type === 'tool-call')).toBe(true)
    expect(await again()).toEqual(parts)
  })

  test('usage is an estimate, marked as one', async () => {
    const { finishReason, usage } = await demoModel({ speed: 'instant' }).doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    })
    expect(finishReason.unified).toBe('stop')
    expect(usage.raw).toEqual({ estimated: true })
  })
})

describe('pace', () => {
  test('a greeting waits at most 150 ms in total, a long answer takes longer, instant does not wait', async () => {
    const waits: number[] = []
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms: number) => {
      waits.push(ms)
      queueMicrotask(done)
      return 0
    }) as never)
    const total = async (text: string, speed: number | 'instant', pace?: string) => {
      waits.length = 0
      const model = demoModel({ speed })
      const { stream } = await model.doStream({
        prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
        ...(pace !== undefined && { providerOptions: { demo: { pace } } }),
      })
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
    // The session's setting overrides the default speed.
    expect(await total('Write a long answer', 4, 'normal')).toBeCloseTo(long)
    expect(await total('Write a long answer', 4, 'slow')).toBeCloseTo(long * 4)
    expect(await total('Write a long answer', 1, 'instant')).toBe(0)
  })

  test('the speed comes from TROUPE_DEMO_SPEED, and an invalid one explains the valid values', () => {
    expect([demoSpeed(undefined), demoSpeed('2.5'), demoSpeed('instant')]).toEqual([1, 2.5, 'instant'])
    vi.stubEnv('TROUPE_DEMO_SPEED', 'fast')
    expect(() => demoModel()).toThrow('TROUPE_DEMO_SPEED is "fast"; set it to a factor such as 2, or to instant.')
  })
})

describe('as a provider', () => {
  test('it passes the provider check and needs no key', async () => {
    const definition = checkProvider(demo, 'demo')
    expect(definition).toMatchObject({ id: 'demo', needsKey: false })
    expect(definition.models[0]).toMatchObject({ id: 'tour', name: 'Demo tour', provider: 'demo' })
    expect(definition.models[0]?.tags).toContain('demo')
    expect(definition.models[0]?.capabilities?.common).toMatchObject({
      examples: suggestions('en'),
      examplesZh: suggestions('zh'),
    })
    for (const language of ['en', 'zh'] as const)
      for (const { text } of suggestions(language)) expect(examples[language]).toContain(text)
    expect(JSON.stringify(definition.models[0])).toContain('not an AI')
    const model = (await definition.create({}))('tour')
    expect([model.provider, model.modelId]).toEqual(['demo', 'tour'])
  })
})
