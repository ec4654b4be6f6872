import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallNotes } from '../../../protocol/src/message.ts'
import { call, play, type Playing } from '../../testing/play-run.ts'
import type { Effect } from '../access/decision.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import type { Ask } from '../tool/asks.ts'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { testToolContext } from '../testing/index.ts'
import { decide, decideCall } from './decide.ts'
import { createPolicy, type PolicyOptions } from './policy.ts'

let base: string
let workspace: string

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'decide-run-')))
  workspace = path.join(base, 'ws')
  for (const [file, text] of [
    ['ws/a.txt', 'needle in a'],
    ['ws/.env', 'KEY=needle'],
    ['ws/private/b.txt', 'needle in b'],
    ['elsewhere/c.txt', 'from elsewhere'],
  ]) {
    mkdirSync(path.dirname(path.join(base, file!)), { recursive: true })
    writeFileSync(path.join(base, file!), `${text}\n`)
  }
  symlinkSync(path.join(base, 'elsewhere'), path.join(workspace, 'out'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

async function made(
  name: string,
  input: unknown,
  rules: Partial<Record<Effect, string[]>> = {},
  given: PolicyOptions & { approve?: boolean } = {},
): Promise<{ asks: Ask[]; text: string; outcome: Playing }> {
  const asks: Ask[] = []
  const { approve = true, ...policy } = given
  const outcome = await play(
    [[{ call: { name, input, id: 'c1' } }], [{ text: 'over' }]],
    getBuiltinTools(),
    {
      workspace: { id: 'w1', path: workspace },
      state: () => createAgentState({ workspace, outputFolder: path.join(base, 'output') }),
      decide: (one, ctx) =>
        decide(one, ctx, createPolicy(rules, { base: workspace, home: path.join(base, 'home'), ...policy })),
    },
    (ask) => {
      asks.push(ask)
      return approve ? { type: 'approve' } : { type: 'deny', remark: 'no' }
    },
  )
  const part = call(outcome, 'c1') as { toolMetadata?: { troupe?: CallNotes }; errorText?: string; output?: unknown }
  return {
    asks,
    text: part.toolMetadata?.troupe?.modelText ?? part.errorText ?? JSON.stringify(part.output) ?? '',
    outcome,
  }
}

it('a file outside the workspace is read after an approval, through a link, too, and not after a denial', async () => {
  for (const file of ['../elsewhere/c.txt', 'out/c.txt', path.join(base, 'elsewhere/c.txt')]) {
    const read = await made('Read', { file_path: file })
    expect(read.asks).toMatchObject([{ kind: 'approval', toolName: 'Read', rule: null }])
    expect(read.text).toContain('from elsewhere')
    const refused = await made('Read', { file_path: file }, {}, { approve: false })
    expect(call(refused.outcome, 'c1').state).toBe('output-denied')
  }
  const allowed = await made('Read', { file_path: '../elsewhere/c.txt' }, { allow: [`Read(/${base}/elsewhere/**)`] })
  expect(allowed).toMatchObject({ asks: [] })
  expect(allowed.text).toContain('from elsewhere')
})

it('a file outside is searched after a yes', async () => {
  const read = await made('Grep', { pattern: 'elsewhere', path: '../elsewhere/c.txt', output_mode: 'content' })
  expect(read.asks).toHaveLength(1)
  expect(read.text).toContain('from elsewhere')
})

it('a file outside is written after an approval, and an edit inside needs none with a rule', async () => {
  const written = await made('Write', { file_path: '../elsewhere/new.txt', content: 'new' })
  expect(written.asks).toHaveLength(1)
  expect(readFileSync(path.join(base, 'elsewhere/new.txt'), 'utf8')).toBe('new')
  expect((await made('Write', { file_path: 'sub/x.txt', content: 'x' }, { allow: ['Edit(sub/**)'] })).asks).toEqual([])
  expect(readFileSync(path.join(workspace, 'sub/x.txt'), 'utf8')).toBe('x')
})

it('a search shows neither secrets nor denied files', async () => {
  const found = await made('Grep', { pattern: 'needle', output_mode: 'content' }, { deny: ['Read(private/**)'] })
  expect(found.asks).toEqual([])
  expect(found.text).toContain('needle in a')
  expect(found.text).not.toMatch(/KEY=|needle in b/)
  expect(found.text).toContain('Not searched, because of secrets or a rule: .env, private')
  const named = await made('Grep', { pattern: 'needle', path: '.env', output_mode: 'content' })
  expect(named.asks[0]?.reason).toContain('keys and passwords')
  expect(named.text).toContain('KEY=needle')
})

it('a read-only command runs without asking; another one shows its parts and the rules to remember', async () => {
  expect(await made('Bash', { command: 'cat a.txt' })).toMatchObject({
    asks: [],
    text: expect.stringContaining('needle in a') as string,
  })
  const asked = await made('Bash', { command: 'cat a.txt && touch made.txt' })
  expect(asked.asks).toMatchObject([
    { commands: [{ text: 'cat a.txt' }, { text: 'touch made.txt' }], remember: ['Bash(touch *)'] },
  ])
  expect((await made('Bash', { command: 'touch x' }, {}, { mode: 'plan' })).asks).toEqual([])
})

it('while models are compared, reads run as usual and every change asks without a rule to remember', async () => {
  const rules = { allow: ['Write', 'Bash(npm test)'] }
  const ask = async (name: string, input: unknown, options: PolicyOptions = {}) => {
    const ctx = testToolContext({ workspace: { id: 'w1', path: workspace } })
    const tool = getBuiltinTools().find((one) => one.name === name)!
    const policy = createPolicy(rules, { base: workspace, home: path.join(base, 'home'), ...options, compared: true })
    return decideCall({ tool, input }, ctx, policy)
  }
  const write = { file_path: path.join(workspace, 'new.txt'), content: 'x' }
  expect(await ask('Read', { file_path: path.join(workspace, 'a.txt') })).toMatchObject({ decision: 'allow' })
  expect(await ask('Bash', { command: 'ls' })).toMatchObject({ decision: 'allow' })
  for (const mode of ['default', 'accept-edits', 'bypass'] as const) {
    const asked = await ask('Write', write, { mode })
    expect(asked).toMatchObject({ decision: 'ask', firm: true, rule: null })
    expect(asked.remember).toBeUndefined()
    expect(await ask('Bash', { command: 'npm test' }, { mode })).toMatchObject({ decision: 'ask' })
  }
  expect(await ask('Write', write, { mode: 'plan' })).toMatchObject({ decision: 'deny' })
  const other = await ask('Edit', { file_path: path.join(workspace, 'a.txt'), old_string: 'needle', new_string: 'x' })
  expect(other).toMatchObject({ decision: 'ask' })
  expect(other.remember).toBeUndefined()
})
