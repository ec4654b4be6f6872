import { expect, test } from 'vitest'
import { z } from 'zod'
import { run } from '../run/run.ts'
import { createMemoryAsks, createMemoryLog } from '../store/memory.ts'
import { scriptedModel, testToolContext } from '../testing/index.ts'
import { deferTools, shownTools } from './tool-set.ts'
import { defineTool, type Tool } from './tool.ts'

const plain = defineTool({
  name: 'TimeNow',
  description: 'The time.',
  input: z.object({}),
  readOnly: true,
  group: 'system',
  execute: () => 'now',
})

function listed(name: string, description: string): Tool {
  return defineTool({
    name,
    description,
    input: z.looseObject({}),
    jsonSchema: { type: 'object', description: 'x'.repeat(400) },
    readOnly: false,
    group: 'mcp:tracker',
    execute: () => `${name} has run`,
  })
}
const many = [
  listed('mcp__tracker_create_issue', 'Opens a new ticket.'),
  listed('mcp__tracker_list_issues', 'All tickets of a project.'),
  ...Array.from({ length: 200 }, (_, n) => listed(`mcp__tracker_other_${n}`, 'Something else.')),
]
const names = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name)

test('few tools are all shown', () => {
  const tools = [plain, ...many.slice(0, 5)]
  expect(deferTools(tools)).toBe(tools)
  expect(shownTools(tools, [])).toBe(tools)
})

test('many tools are deferred behind a search', () => {
  const tools = deferTools([plain, ...many])
  expect(names(shownTools(tools, []))).toEqual(['TimeNow', 'ToolSearch'])
})

test('found tools and earlier used tools are shown', () => {
  const tools = deferTools([plain, ...many])
  const found = {
    type: 'tool-ToolSearch',
    state: 'output-available',
    output: { found: [{ name: 'mcp__tracker_list_issues' }] },
  }
  const used = { type: 'tool-mcp__tracker_other_7', state: 'output-available' }
  expect(names(shownTools(tools, [{ parts: [found] }, { parts: [used] }]))).toEqual([
    'TimeNow',
    'ToolSearch',
    'mcp__tracker_list_issues',
    'mcp__tracker_other_7',
  ])
})

test('the search matches words and names', async () => {
  const search = deferTools([plain, ...many]).at(-1) as Tool
  const find = async (query: string, limit = 5): Promise<{ found: { name: string }[]; more: number }> =>
    (await search.execute({ query, limit }, testToolContext())) as never
  expect((await find('create issue')).found[0]?.name).toBe('mcp__tracker_create_issue')
  expect((await find('tickets')).found[0]?.name).toBe('mcp__tracker_list_issues')
  expect((await find('mcp__tracker_other_42')).found[0]?.name).toBe('mcp__tracker_other_42')
  expect(await find('other', 3)).toMatchObject({ found: { length: 3 }, more: 197 })
  expect(search.toModel?.(await find('zebra'), {})).toContain('No tools found')
})

test('a run sees found tools from the next step on, and can call them', async () => {
  const model = scriptedModel([
    [{ call: { name: 'ToolSearch', input: { query: 'create issue', limit: 1 } } }],
    [{ call: { name: 'mcp__tracker_create_issue', input: {} } }],
    [{ text: 'Done.' }],
  ])
  const { message } = await run({
    runId: 'run-1',
    messageId: 'answer-1',
    session: { id: 'session-1' },
    workspace: { id: 'workspace-1', path: process.cwd() },
    frames: [{ kind: 'master', name: 'master', depth: 0, path: ['master'] }],
    model: { id: 'scripted/one', model },
    tools: deferTools([plain, ...many]),
    history: [],
    signal: new AbortController().signal,
    log: createMemoryLog(),
    asks: createMemoryAsks(() => ({ type: 'deny' })),
    decide: () => ({ decision: 'allow', reason: 'A test.', rule: null }),
  })
  expect(model.calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ['TimeNow', 'ToolSearch'],
    ['TimeNow', 'ToolSearch', 'mcp__tracker_create_issue'],
    ['TimeNow', 'ToolSearch', 'mcp__tracker_create_issue'],
  ])
  expect(JSON.stringify(message)).toContain('mcp__tracker_create_issue has run')
})
