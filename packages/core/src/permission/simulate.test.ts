import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import type { Effect } from '../access/decision.ts'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { coveredAsks, explainCall, type PastCall, simulate } from './explain-call.ts'
import { placeContext } from './path-facts.ts'
import { compileRules, createPolicy, type Policy } from './policy.ts'

let workspace: string
const tools = getBuiltinTools()

beforeAll(() => {
  workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'simulate-')))
  mkdirSync(path.join(workspace, 'src'))
  writeFileSync(path.join(workspace, 'src/a.ts'), '')
})
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

function withRule(policy: Policy, text: string, effect: Effect): Policy {
  const line = { text, effect, layer: 'session', base: workspace } as const
  return { ...policy, rules: compileRules([...policy.rules.lines, line]) }
}

it('tells which calls of the past another rule would change', async () => {
  const inputs = [
    ['Bash', { command: 'npm test' }],
    ['Bash', { command: 'npm test && rm x' }],
    ['shell', { command: 'npm run build' }],
    ['Bash', { command: 'ls' }],
    ['Read', { file_path: 'src/a.ts' }],
    ['Write', { file_path: 'src/a.ts', content: '' }],
    ['Bash', { no: 'command' }],
    ['mcp__gone_tool', {}],
  ] as const
  const calls = inputs.map(([tool, input]): PastCall => ({ tool, input, cwd: workspace }))
  const before = createPolicy()
  const result = await simulate(before, withRule(before, 'Bash(npm *)', 'allow'), calls, tools)
  expect(result.before).toEqual({ allow: 2, ask: 5, deny: 1 })
  expect(result.after).toEqual({ allow: 4, ask: 3, deny: 1 })
  expect(
    result.changes.map(({ index, call, before: was, after: is }) => [index, call, was.decision, is.decision, is.rule]),
  ).toEqual([
    [0, calls[0], 'ask', 'allow', 'Bash(npm *)'],
    [2, calls[2], 'ask', 'allow', 'Bash(npm *)'],
  ])
  const denied = await simulate(before, withRule(before, 'Read(src/**)', 'deny'), calls, tools)
  expect(denied.changes.map(({ index, after }) => [index, after.decision])).toEqual([[4, 'deny']])
})

it('finds a thousand calls no trouble', async () => {
  const calls = Array.from({ length: 1000 }, (_, i): PastCall => ({
    tool: 'Bash',
    input: { command: `npm run task${i}` },
    cwd: workspace,
  }))
  const before = createPolicy()
  const spentMs = cpuClock()
  const { changes } = await simulate(before, withRule(before, 'Bash(npm run *)', 'allow'), calls, tools)
  expect(changes).toHaveLength(1000)
  expect(spentMs()).toBeLessThan(5000)
})

it('a remembered rule answers the open asks that it covers, and no other', async () => {
  const ctx = placeContext(workspace)
  const asked = await explainCall(
    { tool: 'Bash', input: { command: 'npm test && git commit -m x' } },
    tools,
    ctx,
    createPolicy(),
  )
  const policy = asked.remember!.reduce(
    (made, rule) => withRule(made, rule, 'allow'),
    createPolicy({ ask: ['Bash(git push *)'] }),
  )
  const open = (id: string, command: string) => ({ id, tool: 'Bash', input: { command }, ctx, policy })
  const asks = [
    open('same', 'npm test && git commit -m x'),
    open('part', 'git commit -m other'),
    open('more', 'npm test && rm x'),
    open('asking', 'npm test && git push'),
    open('other', 'npm run build'),
  ]
  expect(await coveredAsks(asks, tools)).toEqual(['same', 'part'])
})
