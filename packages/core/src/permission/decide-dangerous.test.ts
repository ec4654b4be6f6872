import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Decision, type Effect, modes } from '../access/decision.ts'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { explainCall } from './explain-call.ts'
import { type PermissionContext, placeContext } from './path-facts.ts'
import { createPolicy, type PolicyOptions } from './policy.ts'

/** Commands that run `evil` or change a file, verified with a real bash. */
const commands = readFileSync(
  new URL('../../../command-policy/src/testing/fixtures/dangerous-commands.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('##'))
  .map((line) => line.replace(/^\? /, '').replaceAll('␤', '\n').replaceAll('␉', '\t').replaceAll('␍', '\r'))

let base: string
let ctx: PermissionContext
const tools = getBuiltinTools()

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'dangerous-')))
  mkdirSync(path.join(base, 'src'))
  writeFileSync(path.join(base, 'f'), 'x\n')
  ctx = placeContext(base)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function judge(command: string, rules: Partial<Record<Effect, string[]>>, given: PolicyOptions): Decision {
  return explainCall(
    { tool: 'Bash', input: { command } },
    tools,
    ctx,
    createPolicy(rules, { home: '/home/me', ...given }),
  ) as Decision
}

it('no dangerous command runs without asking, unless it can change nothing', () => {
  expect(commands.length).toBeGreaterThan(500)
  const run = (given: PolicyOptions): string[] =>
    commands.filter((command) => {
      const { decision, confinement } = judge(command, {}, given)
      return decision === 'allow' && confinement !== 'read-only'
    })
  for (const mode of ['default', 'plan'] as const)
    for (const sandbox of [false, true]) expect([mode, sandbox, run({ mode, sandbox })]).toEqual([mode, sandbox, []])
})

it('rules for other commands allow none of them', () => {
  const allow = [
    'Bash(npm test *)',
    'Bash(git status *)',
    'Bash(ls *)',
    'Bash(cat *)',
    'Bash(grep *)',
    'Read',
    'Edit(src/**)',
  ]
  expect(commands.filter((command) => judge(command, { allow }, {}).decision === 'allow')).toEqual([])
})

it('nearly every command that contains a denied command is denied, and unknown parts ask', () => {
  const rules = { allow: ['Bash'], deny: ['Bash(evil *)'] }
  const hiding = commands.filter((command) => /\bevil\b/.test(command))
  for (const mode of modes) {
    const decisions = hiding.map((command) => judge(command, rules, { mode }).decision)
    expect(decisions.filter((decision) => decision === 'deny').length / hiding.length).toBeGreaterThan(0.9)
    expect(decisions.filter((decision) => decision === 'allow').length / hiding.length).toBeLessThan(0.02)
  }
})
