import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { StoredMessage } from '../../../protocol/src/message.ts'
import { full } from '../../../protocol/testing/test-effort.ts'
import { play, texts } from '../../testing/play-run.ts'
import { project } from '../prompt/project.ts'
import type { ScriptTurn } from '../testing/index.ts'
import { strictProblems } from '../testing/strict-provider.ts'
import { getTools } from '../tool/tool-set.ts'
import { checkTool, defineTool } from '../tool/tool.ts'
import { createAgentState } from './create-agent-state.ts'

const window = 32_000
const longRun = full ? 500 : 300
const rules = 'AGENTS.md: never touch the lighthouse.'

const look = checkTool(
  defineTool({
    description: 'Looks.',
    input: z.object({ place: z.string() }),
    readOnly: true,
    group: 'test',
    execute: ({ place }) => Promise.resolve(`${place}: ${'a line of what was seen there, and more. '.repeat(80)}`),
  }),
  'look',
)

const tokensOf = (prompt: LanguageModelV4Prompt): number => JSON.stringify(prompt).length / 4

function isSummaryRequest(prompt: LanguageModelV4Prompt): boolean {
  return JSON.stringify(prompt.at(-1)).includes('replaced by a summary')
}

function newState() {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-room-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return createAgentState({ workspace: folder, outputFolder: path.join(folder, 'output') })
}

function longScript(onPrompt: (prompt: LanguageModelV4Prompt, step: number) => void, summaries: 'written' | 'fail') {
  let step = 0
  return (prompt: LanguageModelV4Prompt): ScriptTurn => {
    if (isSummaryRequest(prompt)) {
      if (summaries === 'fail') return [{ error: { message: 'no summaries today', statusCode: 400, retryable: false } }]
      return [{ text: `Summary after step ${step}: many places were looked at.` }, usage(prompt)]
    }
    onPrompt(prompt, step)
    step++
    if (step > longRun) return [{ text: 'The end.' }, usage(prompt)]
    if (step % 50 === 1) {
      const todos = [{ content: `Look at block ${Math.floor(step / 50)}`, status: 'in_progress' }]
      return [{ call: { name: 'TodoWrite', input: { todos } } }, usage(prompt)]
    }
    return [{ call: { name: 'look', input: { place: `place ${step}` } } }, usage(prompt)]
  }
}

const usage = (prompt: LanguageModelV4Prompt): ScriptTurn[number] => ({
  finish: 'tool-calls',
  usage: { inputTokens: Math.round(tokensOf(prompt) * 1.2), outputTokens: 20 },
})

it.each(['written', 'fail'] as const)(
  `${longRun} steps fit a window of 32k; rules, goal and todo list are always there (summaries: %s)`,
  async (summaries) => {
    let most = 0
    const state = newState()
    const played = await play(
      longScript((prompt, step) => {
        const text = JSON.stringify(prompt)
        most = Math.max(most, tokensOf(prompt) * 1.2)
        expect(text).toContain(rules)
        expect(text).toContain('Look everywhere, please.')
        if (step > 1) expect(text).toContain(`Look at block ${Math.floor((step - 1) / 50)}`)
        expect(strictProblems(prompt)).toEqual([])
      }, summaries),
      [{ ...look, name: 'look' }, ...getTools(['TodoWrite'])],
      {
        instructions: rules,
        limits: { steps: 600 },
        state: () => state,
        history: [
          {
            id: 'u1',
            parentMessageId: null,
            role: 'user',
            parts: [{ type: 'text', text: 'Look everywhere, please.' }],
            createdAt: 0,
          },
        ],
        decide: () => ({ decision: 'allow', reason: '', rule: null }),
      },
      undefined,
      { contextWindow: window, maxOutputTokens: 4000 },
    )
    expect(played.error).toBeUndefined()
    expect(most).toBeLessThanOrEqual(window)
    const compactions = played.message.parts.filter((part) => part.type === 'data-compaction')
    expect(compactions.length).toBeGreaterThan(full ? 2 : 1)
    expect(played.message.parts.filter((part) => part.type === 'tool-look')).toHaveLength(longRun * 0.98)
    const trims = played.message.parts.filter((part) => part.type === 'data-trim')
    expect(trims.length).toBeGreaterThan(0)
  },
)

it('results moved to a file can be read, and stay in the tree', async () => {
  const state = newState()
  let pointer = ''
  const played = await play(
    longScript((prompt) => {
      pointer ||= /Read \\"([^"\\]+)\\"/.exec(JSON.stringify(prompt))?.[1] ?? ''
    }, 'written'),
    [{ ...look, name: 'look' }, ...getTools(['TodoWrite'])],
    { limits: { steps: 40 }, state: () => state, decide: () => ({ decision: 'allow', reason: '', rule: null }) },
    undefined,
    { contextWindow: 16_000, maxOutputTokens: 2000 },
  )
  expect(existsSync(pointer)).toBe(true)
  expect(readFileSync(pointer, 'utf8')).toContain('a line of what was seen there')
  const outputs = played.message.parts.flatMap((part) => ('output' in part ? [JSON.stringify(part.output)] : []))
  expect(outputs.every((output) => !output.includes('moved to a file'))).toBe(true)
})

it('a compaction that is turned off has no effect', async () => {
  const stored: StoredMessage[] = [
    { id: 'u1', parentMessageId: null, role: 'user', parts: [{ type: 'text', text: 'first' }], createdAt: 0 },
    {
      id: 'a1',
      parentMessageId: 'u1',
      role: 'assistant',
      parts: [{ type: 'text', text: 'long answer' }],
      createdAt: 0,
    },
    {
      id: 'a2',
      parentMessageId: 'a1',
      role: 'assistant',
      parts: [
        { type: 'data-compaction', id: 'c', data: { id: 'c', upTo: { messageId: 'a1', step: 0 }, summary: 'short' } },
      ],
      createdAt: 0,
    },
  ]
  expect(JSON.stringify(project(stored))).not.toContain('long answer')
  const data = (stored[2] as { parts: { data: { off?: boolean } }[] }).parts[0]?.data as { off?: boolean }
  data.off = true
  expect(JSON.stringify(project(stored))).toContain('long answer')
})

it('a result larger than the context window does not stop the turn', async () => {
  const state = newState()
  const huge = checkTool(
    {
      ...defineTool({
        description: 'x',
        input: z.object({}),
        readOnly: true,
        group: 'test',
        execute: () => 'x'.repeat(400_000),
      }),
      name: 'huge',
    },
    'huge',
  )
  let most = 0
  const played = await play(
    (prompt: LanguageModelV4Prompt): ScriptTurn => {
      if (isSummaryRequest(prompt)) return [{ text: 'short' }]
      most = Math.max(most, tokensOf(prompt))
      return prompt.filter(({ role }) => role === 'assistant').length < 1 && most < 1000
        ? [{ call: { name: 'huge', input: {} } }]
        : [{ text: 'done' }]
    },
    [huge],
    { state: () => state, decide: () => ({ decision: 'allow', reason: '', rule: null }) },
    undefined,
    { contextWindow: 16_000, maxOutputTokens: 2000 },
  )
  expect(played.status).toBe('done')
  expect(most).toBeLessThan(16_000)
})

it.each([1, 2, 3, 4, 5, 6, 7])('the user’s message after step %i is sent once after each compaction', async (after) => {
  const state = newState()
  const words = 'Steer me exactly once.'
  let steps = 0
  let told = false
  let compacted = 0
  const times = new Set<number>()
  const played = await play(
    (prompt: LanguageModelV4Prompt): ScriptTurn => {
      if (isSummaryRequest(prompt)) return [{ text: 'Short.' }]
      const text = JSON.stringify(prompt)
      if (text.includes('<conversation-summary>')) compacted++
      if (told) times.add(text.split(words).length - 1)
      steps++
      return steps > 8
        ? [{ text: 'done' }]
        : [
            { text: 'thinking about it at length. '.repeat(200) },
            { call: { name: 'look', input: { place: `place ${steps}` } } },
          ]
    },
    [{ ...look, name: 'look', execute: () => `seen ${steps}` }],
    {
      state: () => state,
      decide: () => ({ decision: 'allow', reason: '', rule: null }),
      steering() {
        if (told || steps < after) return []
        told = true
        return [{ id: 'steer', text: words }]
      },
    },
    undefined,
    { contextWindow: 8000, maxOutputTokens: 1000 },
  )
  expect(played.status).toBe('done')
  expect(compacted).toBeGreaterThan(0)
  expect([...times]).toEqual([1])
})

function longHistory(messages: number, length: number): StoredMessage[] {
  return Array.from({ length: messages }, (_, index): StoredMessage => ({
    id: `m${index}`,
    parentMessageId: index === 0 ? null : `m${index - 1}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: `Message ${index}. ${'Much was said about lighthouses. '.repeat(length / 33)}` }],
    createdAt: 0,
  }))
}

it.each([
  ['an unknown window', undefined, 9, 30_000, 'the number'],
  ['an unknown window and no number', undefined, 9, 30_000, 'no number'],
  ['a window that is wrong', 200_000, 9, 30_000, 'the number'],
  ['a window that is wrong and no number', 200_000, 9, 30_000, 'no number'],
  ['a history ten times the window', undefined, 41, 8000, 'the number'],
  ['one message that is far too long', undefined, 1, 200_000, 'the number'],
] as const)('a request rejected as too long is shortened and sent again: %s', async (_, known, count, length, told) => {
  const takes = 8192
  const learned: unknown[] = []
  const sizes: number[] = []
  const state = newState()
  const played = await play(
    (prompt: LanguageModelV4Prompt): ScriptTurn => {
      const tokens = Math.round(tokensOf(prompt))
      if (tokens > takes) {
        const message =
          told === 'the number'
            ? `This model's maximum context length is ${takes} tokens. However, your messages resulted in ${tokens} tokens.`
            : 'Your input exceeds the context window of this model.'
        sizes.push(-tokens)
        return [{ error: { message, statusCode: 400, retryable: false } }]
      }
      sizes.push(tokens)
      return [{ text: isSummaryRequest(prompt) ? 'They spoke of lighthouses.' : 'Still here.' }]
    },
    [],
    { state: () => state, history: longHistory(count, length) },
    undefined,
    { contextWindow: known, onLearned: (found) => void learned.push(found) },
  )
  expect(texts(played).at(-1)).toBe('Still here.')
  if (told === 'the number') expect(learned).toEqual([{ contextWindow: takes, exact: true }])
  expect(sizes.filter((size) => size < 0).length).toBeLessThanOrEqual(told === 'the number' ? 2 : 8)
  expect(sizes.at(-1)).toBeLessThanOrEqual(takes)
  expect(played.message.parts.filter((part) => part.type === 'data-compaction').length).toBeGreaterThan(0)
})

it('a conversation that stays too long fails with advice, after one more try', async () => {
  let calls = 0
  const played = await play(
    (prompt: LanguageModelV4Prompt): ScriptTurn => {
      if (!isSummaryRequest(prompt)) calls++
      return [
        { error: { message: 'prompt is too long: 9000 tokens > 4000 maximum', statusCode: 400, retryable: false } },
      ]
    },
    [],
    { state: newState, history: longHistory(3, 3000) },
  )
  expect(played.status).toBe('failed')
  expect(calls).toBe(2)
  expect(played.error?.message).toMatch(/still too long after compaction. Start a new chat, or choose a model/)
})
