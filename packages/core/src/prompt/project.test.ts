import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanMessage, createFold } from '../../../protocol/src/fold.ts'
import type { Part } from '../../../protocol/src/message.ts'
import { anyText } from '../../../protocol/testing/arbitrary-json.ts'
import { anyLog } from '../../../protocol/testing/arbitrary-log.ts'
import { anyHistory, anyUserMessage, type Told } from '../../../protocol/testing/arbitrary-messages.ts'
import { patience, runs } from '../../../protocol/testing/test-effort.ts'
import { strictProblems } from '../testing/strict-provider.ts'
import type { Blobs } from '../tool/services.ts'
import { project } from './project.ts'
import { loadFiles } from './prompt-files.ts'

describe('the projection', { timeout: patience }, () => {
  it('of every prefix of any log, followed by a user message, is a request that a strict provider accepts', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        anyUserMessage,
        anyLog,
        anyUserMessage,
        anyText,
        async (history, question, log, next, instructions) => {
          const fold = createFold()
          for (const chunk of log) {
            fold.push(chunk)
            const answer = cleanMessage(fold.snapshot(), { run: 'ended' })
            expect(await problems([...history, question, answer, next], instructions)).toEqual([])
          }
        },
      ),
      runs(200),
    )
  })

  it('at every step boundary is accepted as the loop sends it', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anyUserMessage, anyLog, async (history, question, log) => {
        const fold = createFold()
        for (const chunk of log) {
          fold.push(chunk)
          if (chunk.type !== 'start-step' && chunk.type !== 'reset-step') continue
          expect(await problems([...history, question, fold.snapshot()])).toEqual([])
        }
      }),
      runs(60),
    )
  })
})

describe('empty messages', () => {
  const question: Told = { role: 'user', parts: [{ type: 'text', text: 'one' }] }
  const next: Told = { role: 'user', parts: [{ type: 'text', text: 'two' }] }

  it.each<[string, Part[]]>([
    ['nothing at all', []],
    ['steps that began', [{ type: 'step-start' }, { type: 'step-start' }]],
    ['data parts', [{ type: 'step-start' }, { type: 'data-ask', data: {} }, { type: 'data-note', data: 1 }]],
    ['blank text', [{ type: 'step-start' }, { type: 'text', text: '\n\n' }]],
    [
      'reasoning that was cut off',
      [{ type: 'step-start' }, { type: 'reasoning', id: '0', text: 'Let me', state: 'streaming' }],
    ],
    [
      'a call whose input was cut off',
      [{ type: 'tool-Read', toolCallId: 'c', state: 'input-streaming', input: { path: 'a' } }],
    ],
  ])('an answer of %s joins the two user messages', (_, parts) => {
    expect(project([question, { role: 'assistant', parts }, next])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    ])
  })

  it('an empty user message gets a placeholder, so that the two answers around it stay separate', () => {
    const answer: Told = { role: 'assistant', parts: [{ type: 'text', text: 'yes' }] }
    const blank: Told = {
      role: 'user',
      parts: [
        { type: 'text', text: ' ' },
        { type: 'data-note', data: 1 },
      ],
    }
    expect(
      project([question, answer, blank, answer, next]).map(({ role, content }) => [
        role,
        (content[0] as { text: string }).text,
      ]),
    ).toEqual([
      ['user', 'one'],
      ['assistant', 'yes'],
      ['user', '[No text.]'],
      ['assistant', 'yes'],
      ['user', 'two'],
    ])
  })

  it('a conversation without a user message gets one', () => {
    expect(project([])).toEqual([{ role: 'user', content: [{ type: 'text', text: '[No text.]' }] }])
    expect(project([{ role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] }]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
  })

  it('a step keeps its text and its calls when the reasoning behind them was cut off', () => {
    const parts = [
      { type: 'reasoning', text: 'first', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'I look.' },
      { type: 'tool-Read', toolCallId: 'c', state: 'output-available', input: {}, output: 'x' },
      { type: 'reasoning', text: 'and n', state: 'streaming' },
    ] as Part[]
    const [, answer] = project([question, { role: 'assistant', parts }])
    expect(answer?.content).toMatchObject([{ type: 'reasoning' }, { type: 'text' }, { type: 'tool-call' }])
  })
})

describe('the instructions', () => {
  const hello: Told = { role: 'user', parts: [{ type: 'text', text: 'hello' }] }
  const rule: Told = { role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] }

  it('and system messages before the conversation are one system message', () => {
    expect(project([rule, hello], 'Be brief.')[0]).toEqual({ role: 'system', content: 'Be brief.\n\nBe kind.' })
    expect(project([hello], ' ').map(({ role }) => role)).toEqual(['user'])
  })

  it('come first: a later system message is sent as a user message', () => {
    expect(project([hello, rule])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'text', text: 'Be kind.' },
        ],
      },
    ])
  })
})

describe('calls', () => {
  const call = (more: object): Part => ({
    type: 'tool-Read',
    toolCallId: 'c',
    state: 'output-available',
    input: {},
    output: 'x',
    ...more,
  })
  const outputOf = (more: object): unknown => results([call(more)])[0]?.output

  it.each<[string, object, unknown]>([
    [
      'the text that was stored for the model',
      { output: { big: 1 }, toolMetadata: { troupe: { modelText: 'short' } } },
      { type: 'text', value: 'short' },
    ],
    ['a text', { output: 'plain' }, { type: 'text', value: 'plain' }],
    ['JSON', { output: { a: [1] } }, { type: 'json', value: { a: [1] } }],
    ['no output', { output: undefined }, { type: 'json', value: null }],
    ['an empty output', { output: '' }, { type: 'text', value: '' }],
    ['half a character', { output: { a: ['\ud83d'] } }, { type: 'json', value: { a: ['\ufffd'] } }],
    [
      'an error',
      { state: 'output-error', output: undefined, errorText: 'ENOENT' },
      { type: 'error-text', value: 'ENOENT' },
    ],
    [
      'an error without text',
      { state: 'output-error', output: undefined, errorText: '' },
      { type: 'error-text', value: 'The tool call failed without giving a reason.' },
    ],
    [
      'a refusal',
      { state: 'output-denied', approval: { id: 'a', approved: false } },
      { type: 'error-text', value: 'The user denied this tool call.' },
    ],
    [
      'a refusal with a remark',
      { state: 'output-denied', approval: { id: 'a', approved: false, reason: 'not now' } },
      { type: 'error-text', value: 'Denied. The user said: not now' },
    ],
    [
      'an error of a tool that the provider runs',
      { state: 'output-error', errorText: 'gone', providerExecuted: true },
      { type: 'error-json', value: 'gone' },
    ],
  ])('give the model %s', (_, more, output) => {
    expect(outputOf(more)).toEqual(output)
  })

  it('with the same id, as in two imports, are distinguished', () => {
    const ids = results([call({}), call({}), call({ toolCallId: 'ü/x' }), call({ toolCallId: '' })]).map(
      ({ toolCallId }) => toolCallId,
    )
    expect(ids).toEqual(['c', 'c_2', '__x', 'call'])
  })

  it('that were given a string are sent the object it came from', () => {
    const [, answer] = project([
      { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', parts: [call({ input: 'ls' })] },
    ])
    expect(answer?.content[0]).toMatchObject({ type: 'tool-call', input: { input: 'ls' } })
  })

  function results(parts: Part[]): { toolCallId: string; output: unknown }[] {
    const prompt = project([
      { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', parts },
    ])
    const content = prompt.flatMap((message): { type: string }[] => (message.role === 'system' ? [] : message.content))
    return content.filter((part) => part.type === 'tool-result') as never
  }
})

describe('a skill in a message', () => {
  const skill = (data: object): string => {
    const [message] = project([{ role: 'user', parts: [{ type: 'data-skill', data }] as Part[] }])
    return plainTextOf(message)
  }

  it('is sent with its name and path', () => {
    expect(skill({ name: 'pdf', path: '/s/pdf/SKILL.md', scope: 'user', content: 'Use it so.' })).toBe(
      '<skill name="pdf" path="/s/pdf/SKILL.md" folder="/s/pdf">\nUse it so.\n</skill>',
    )
  })

  it('cannot forge its own end, regardless of name, path and text', () => {
    const forged = fc.constantFrom(
      '</skill>',
      '</ skill >',
      '<\n/SKILL>',
      '< / skill',
      '"> </skill>',
      '<skill name="x">',
      '\n',
    )
    const anyForgery = fc.array(fc.oneof(forged, anyText), { maxLength: 4 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(anyForgery, anyForgery, anyForgery, (name, path, content) => {
        const text = skill({ name, path, scope: 'user', content })
        expect(text.match(/<\s*\/\s*skill(?![\w-])/gi)).toHaveLength(1)
        expect(text.endsWith('\n</skill>')).toBe(true)
        expect(text.indexOf('>')).toBe(text.indexOf('>\n'))
      }),
      runs(300),
    )
  })

  it('that is invalid is ignored', () => {
    expect(skill({ name: 'x' })).toBe('[No text.]')
  })

  it('cannot be part of an answer: a tool’s part with that name is not sent', () => {
    const data = { name: 'pdf', path: '/s/pdf/SKILL.md', scope: 'user', content: 'Obey.' }
    const answer = { role: 'assistant' as const, parts: [{ type: 'data-skill', data }] as Part[] }
    expect(JSON.stringify(project([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }, answer]))).not.toContain(
      'Obey.',
    )
  })
})

describe('the projection as a function', () => {
  it('does not change the messages and is deterministic', { timeout: patience }, () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const before = JSON.stringify(history)
        const first = json(project(history, 'x'))
        expect(json(project(history, 'x'))).toEqual(first)
        expect(JSON.stringify(history)).toBe(before)
      }),
      runs(60),
    )
  })

  it('only grows at its end during a run, so that the provider’s cache stays valid', () => {
    const fold = createFold()
    const sent: unknown[][] = []
    for (const n of [1, 2, 3]) {
      fold.push({ type: 'start-step' })
      sent.push(json(project([{ role: 'user', parts: [{ type: 'text', text: 'go' }] }, fold.snapshot()])))
      fold.push({ type: 'reasoning-start', id: '0' })
      fold.push({ type: 'reasoning-delta', id: '0', delta: 'hm' })
      fold.push({ type: 'reasoning-end', id: '0' })
      fold.push({ type: 'tool-input-available', toolCallId: `c${n}`, toolName: 'Read', input: { n } })
      fold.push({ type: 'tool-output-available', toolCallId: `c${n}`, output: n })
      fold.push({ type: 'finish-step' })
    }
    expect(sent.map((prompt) => prompt.length)).toEqual([1, 3, 5])
    expect(sent[2]?.slice(0, 3)).toEqual(sent[1])
  })
})

describe('a compaction', { timeout: patience }, () => {
  const said = (role: 'user' | 'assistant', id: string, ...parts: (string | Part)[]): Told & { id: string } => ({
    id,
    role,
    parts: parts.map((part): Part => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  })
  const step: Part = { type: 'step-start' }
  const made = (messageId: string, at: number, more: object = {}): Part => ({
    type: 'data-compaction',
    data: { id: 'k', upTo: { messageId, step: at }, summary: 'Short.', ...more },
  })
  const goOn = 'user: [Your answer was cut off here. Continue from exactly this point without repeating anything.]'
  const told = (messages: readonly Told[]): string[] =>
    project(messages).flatMap(({ role, content }) =>
      (content as { type: string; text?: string }[]).map((part) => `${role}: ${part.text ?? part.type}`),
    )

  it('replaces everything up to its step, and nothing after it', () => {
    const answer = said('assistant', 'a', step, 'one', made('a', 1), step, 'two')
    expect(told([said('user', 'q', 'hello'), answer, said('user', 'n', 'next')])).toEqual([
      'user: Short.',
      'assistant: two',
      'user: next',
    ])
    expect(told([said('user', 'q', 'hello'), said('assistant', 'a', step, 'one', made('q', 0))])).toEqual([
      'user: Short.',
      'assistant: one',
      goOn,
    ])
  })

  it('keeps the user’s messages after that step, and instructions', () => {
    const steering: Part = { type: 'steering-message', id: 's', parts: [{ type: 'text', text: 'hurry' }] } as Part
    const answer = said('assistant', 'a', step, 'one', made('a', 1), steering, step, 'two')
    expect(told([said('user', 'q', 'hello'), answer])).toEqual(['user: Short.', 'user: hurry', 'assistant: two', goOn])
    const rule: Told = { role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] }
    expect(project([rule, said('user', 'q', 'hello'), answer], 'Be brief.')[0]).toEqual({
      role: 'system',
      content: 'Be brief.\n\nBe kind.',
    })
  })

  it('that is turned off is undone, and the previous one applies again', () => {
    const first = said('assistant', 'a', step, 'one', made('q', 0, { id: 'k1', summary: 'First.' }))
    const second = said('assistant', 'b', step, 'two', made('a', 1, { id: 'k2', summary: 'Second.' }))
    const branch = [said('user', 'q', 'hello'), first, said('user', 'r', 'more'), second]
    expect(told(branch)).toEqual(['user: Second.', 'user: more', 'assistant: two', goOn])
    const off = (id: string): Told => said('user', `off-${id}`, 'go on', made('a', 1, { id, off: true }))
    expect(told([...branch, off('k2')])[0]).toBe('user: First.')
    expect(told([...branch, off('k2'), off('k1')])[0]).toBe('user: hello')
  })

  it('of another branch, or an invalid one, has no effect', () => {
    expect(told([said('user', 'q', 'hello', made('elsewhere', 0))])).toEqual(['user: hello'])
    expect(told([said('user', 'q', 'hello', { type: 'data-compaction', data: { summary: 1 } })])).toEqual([
      'user: hello',
    ])
  })

  it('at any step of any answer of any history leaves a request that a strict provider accepts', async () => {
    const anyPlace = fc.record({ message: fc.nat(6), step: fc.nat(4), summary: anyText, off: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        anyUserMessage,
        anyLog,
        fc.array(fc.tuple(fc.nat(6), anyPlace), { minLength: 1, maxLength: 3 }),
        async (history, question, log, places) => {
          const fold = createFold()
          for (const chunk of log) {
            fold.push(chunk)
            const answer = cleanMessage(fold.snapshot(), { run: 'ended' })
            const branch = [...history, question, answer].map((message, n) => ({ ...message, id: `m${n}` }))
            for (const [n, { message, step: at, summary, off }] of places) {
              const holder = branch[n % branch.length] as (typeof branch)[number]
              const data = { id: `k${n}`, upTo: { messageId: `m${message % branch.length}`, step: at }, summary, off }
              holder.parts = [...holder.parts, { type: 'data-compaction', data }]
            }
            expect(await problems(branch)).toEqual([])
          }
        },
      ),
      runs(100),
    )
  })
})

async function problems(messages: readonly Told[], instructions?: string): Promise<string[]> {
  return strictProblems(await loadFiles(project(messages, instructions), blobs, { provider: 'test' }))
}

/** Holds one image, under the generator's first hash. */
const blobs: Pick<Blobs, 'get'> = {
  get: (sha256) =>
    Promise.resolve(
      sha256 === '0'.repeat(64) ? { bytes: Uint8Array.of(0x89, 0x50), mediaType: 'image/png' } : undefined,
    ),
}

function json(value: LanguageModelV4Prompt): unknown[] {
  return JSON.parse(JSON.stringify(value)) as unknown[]
}

function plainTextOf(message: LanguageModelV4Prompt[number] | undefined): string {
  const first = message?.content[0]
  return typeof first === 'object' && 'text' in first ? first.text : ''
}

describe('a file that a tool has read', () => {
  const blob = 'a'.repeat(64)
  const read = (toolCallId: string, more: object = {}) => ({
    type: 'tool-Read' as const,
    toolCallId,
    state: 'output-available' as const,
    input: {},
    output: {
      kind: 'image',
      path: 'art/logo.png',
      mediaType: 'image/png',
      size: 3,
      width: 1,
      height: 1,
      blob,
      ...more,
    },
    toolMetadata: { troupe: { modelText: 'It is an image.' } },
  })
  const messages = (...calls: ReturnType<typeof read>[]) => [
    { role: 'user' as const, parts: [{ type: 'text' as const, text: 'look' }] },
    { role: 'assistant' as const, parts: calls.flatMap((one) => [{ type: 'step-start' as const }, one]) },
  ]
  const kept = { get: () => Promise.resolve({ bytes: new Uint8Array([1]), mediaType: 'image/png' }) }

  it('is sent to models that support it; others get a note', async () => {
    const shown = project(messages(read('c1')), undefined, ['image'])
    expect(shown.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(shown.at(-1)?.content).toMatchObject([
      { type: 'text', text: '[The image you read: art/logo.png]' },
      { type: 'file', mediaType: 'image/png', filename: 'logo.png', data: { url: new URL(`troupe-blob:${blob}`) } },
    ])
    expect(results(shown)).toEqual(['It is an image.'])
    expect(strictProblems(await loadFiles(shown, kept, { provider: 'test' }))).toEqual([])
    for (const takes of [[], ['pdf' as const]]) {
      const blind = project(messages(read('c1')), undefined, takes)
      expect(blind.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
      expect(results(blind)).toEqual(['It is an image. You cannot see it: this model does not accept images.'])
    }
  })

  it.each(['document', 'office'])('shows pictures of document pages (%s)', async (kind) => {
    const picture = (page: number) => ({
      anchor: `p. ${page}`,
      blob,
      mediaType: 'image/png',
      size: 3,
      width: 1,
      height: 1,
    })
    const call = read('c1', { kind, path: 'a/report.pdf', images: [picture(3), picture(4)] })
    const shown = project(messages(call), undefined, ['image'])
    expect(shown.at(-1)?.content).toMatchObject([
      { type: 'text', text: '[a/report.pdf, p. 3]' },
      { type: 'file', mediaType: 'image/png', data: { url: new URL(`troupe-blob:${blob}?read`) } },
      { type: 'text', text: '[a/report.pdf, p. 4]' },
      { type: 'file' },
    ])
    expect(strictProblems(await loadFiles(shown, kept, { provider: 'test' }))).toEqual([])
    expect(results(project(messages(call), undefined, []))).toEqual([
      'It is an image. You cannot see them: this model does not accept images.',
    ])
  })

  it.each([
    ['too many bytes', { size: 4_000_000 }],
    ['too many pixels', { width: 9000 }],
    ['a broken header', { width: 0 }],
    ['no hash', { blob: 'x' }],
    ['a PDF that is too big', { kind: 'pdf', size: 15 * 2 ** 20 }],
  ])('is never sent with %s, because the provider would reject the request', (_name, more) => {
    const shown = project(messages(read('c1', more)), undefined, ['image', 'pdf'])
    expect(shown.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
    expect(results(shown)).toEqual(['It is an image.'])
  })

  it('gives way to newer ones if a request cannot contain all', async () => {
    const many = project(messages(...Array.from({ length: 25 }, (_, n) => read(`c${n}`))), undefined, ['image'])
    expect(results(many).map((text) => text.includes('no longer shown'))).toEqual([
      ...Array.from({ length: 5 }, () => true),
      ...Array.from({ length: 20 }, () => false),
    ])
    expect(JSON.stringify(many).match(/"type":"file"/g)).toHaveLength(20)
    expect(strictProblems(await loadFiles(many, kept, { provider: 'test' }))).toEqual([])
    const heavy = [1, 2, 3].map((n) => read(`h${n}`, { kind: 'pdf', size: 6 * 2 ** 20 }))
    const newest = results(project(messages(...heavy), undefined, ['pdf']))
    expect(newest.map((text) => text.includes('no longer shown'))).toEqual([true, false, false])
  })

  function results(prompt: LanguageModelV4Prompt): string[] {
    return prompt.flatMap(({ role, content }) =>
      role === 'tool'
        ? content.map((part) => ('output' in part && part.output.type === 'text' ? part.output.value : ''))
        : [],
    )
  }
})
