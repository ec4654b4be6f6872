import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { call, play, type Playing, texts } from '../../testing/play-run.ts'
import type { Mode } from '../access/decision.ts'
import { decide } from '../permission/decide.ts'
import { createPolicy } from '../permission/policy.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import { readResume } from '../run/resume.ts'
import type { RunInput } from '../run/run-input.ts'
import { strictProblems } from '../testing/strict-provider.ts'
import { type AgentState, planFileOf } from '../tool/agent-state.ts'
import type { Answer, Ask } from '../tool/asks.ts'
import { getTools } from '../tool/tool-set.ts'

const [tool] = getTools(['ExitPlanMode'])
const script = [
  [{ text: 'I have a plan.' }, { call: { name: 'ExitPlanMode', input: { plan: '1. Dig\n2. Plant' }, id: 'c1' } }],
  [{ text: 'Digging.' }],
]
let state: AgentState
let mode: Mode

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-plan-'))
  await mkdir(path.join(folder, 'work'))
  await mkdir(path.join(folder, 'home', 'session'), { recursive: true })
  const outputFolder = path.join(folder, 'home', 'session', 'output')
  state = createAgentState({ workspace: path.join(folder, 'work'), outputFolder })
  mode = 'plan'
  return () => rm(folder, { recursive: true, force: true })
})

function planning(
  answer: (ask: Ask) => Answer | Promise<Answer>,
  given: Parameters<typeof play>[0] = script,
  more: Partial<RunInput> = {},
): Promise<Playing> {
  const own = {
    get: () => mode,
    set: (next: Mode) => {
      mode = next
      return Promise.resolve()
    },
  }
  return play(given, [tool!], { state: () => state, mode: own, ...more }, answer)
}

const sent = (outcome: Playing, step: number): string => JSON.stringify(outcome.model.calls[step]?.prompt)

it('shows the plan and, approved, lets files be edited', async () => {
  const asks: Ask[] = []
  const outcome = await planning((ask) => {
    asks.push(ask)
    return { type: 'plan', choice: 'edit' }
  })
  expect(asks).toMatchObject([{ kind: 'plan', content: { plan: '1. Dig\n2. Plant' }, toolName: 'ExitPlanMode' }])
  expect(mode).toBe('accept-edits')
  expect(sent(outcome, 1)).toContain('The user approved the plan.')
  expect(sent(outcome, 1)).toContain('I have a plan.')
  expect(texts(outcome)).toEqual(['I have a plan.', 'Digging.'])
})

it('starts with a clean context: the model gets only the plan', async () => {
  state.reads.set('/seen', { sha256: 'x', mtimeMs: 1, size: 1, partial: false })
  const outcome = await planning(() => ({ type: 'plan', choice: 'clean', remark: 'gently' }))
  expect(mode).toBe('accept-edits')
  const prompt = outcome.model.calls[1]!.prompt
  expect(prompt).toMatchObject([{ role: 'user', content: [{ type: 'text' }] }])
  expect(sent(outcome, 1)).toMatch(/approved the plan.*gently.*1\. Dig/)
  expect(sent(outcome, 1)).not.toContain('I have a plan.')
  expect(strictProblems(prompt)).toEqual([])
  expect(state.reads.size).toBe(0)
  expect(texts(outcome)).toEqual(['I have a plan.', 'Digging.'])
  expect(outcome.message.parts.filter((part) => part.type === 'data-compaction')).toHaveLength(1)
})

it('stays in plan mode after feedback, and the model gets it', async () => {
  const outcome = await planning(() => ({ type: 'plan', choice: 'continue', remark: 'Water it, too' }))
  expect(mode).toBe('plan')
  expect(sent(outcome, 1)).toContain('Water it, too')
  expect(sent(outcome, 1)).toContain('stays in plan mode')
})

it('ends the turn after a refusal without feedback', async () => {
  const outcome = await planning(() => ({ type: 'deny' }))
  expect(mode).toBe('plan')
  expect(outcome.message.metadata?.stopped?.reason).toBe('denied')
  expect(texts(outcome)).toEqual(['I have a plan.'])
})

it('reads the plan from the plan file, and names its path if there is none', async () => {
  const empty = [[{ call: { name: 'ExitPlanMode', input: {}, id: 'c1' } }], [{ text: 'So.' }]]
  const missing = await planning(() => ({ type: 'plan', choice: 'edit' }), empty)
  expect(call(missing, 'c1').errorText).toContain(planFileOf(state))
  expect(mode).toBe('plan')
  await writeFile(planFileOf(state), '# Garden\n')
  const asks: Ask[] = []
  await planning((ask) => {
    asks.push(ask)
    return { type: 'plan', choice: 'edit' }
  }, empty)
  expect(asks).toMatchObject([{ content: { plan: '# Garden' } }])
})

it.each<Mode>(['default', 'accept-edits', 'bypass'])('does nothing in mode %s, and reports it', async (other) => {
  mode = other
  const outcome = await planning(() => {
    throw new Error('nobody may be asked')
  })
  expect(call(outcome, 'c1').errorText).toMatch(/not in plan mode/)
  expect(mode).toBe(other)
})

it('finds its answer again after a crash, even if the mode had changed already', async () => {
  const ids: string[] = []
  const first = await planning((ask) => {
    ids.push(ask.id)
    return { type: 'plan', choice: 'clean' }
  })
  const begun = first.log.items.findIndex((item) => item.type === '$call')
  mode = 'accept-edits'
  const outcome = await planning(
    (ask) => {
      ids.push(ask.id)
      return { type: 'plan', choice: 'clean' }
    },
    { by: 'prompt', turns: [[{ text: 'Digging.' }]] },
    { resume: readResume(first.log.items.slice(0, begun + 1)) },
  )
  expect(ids[1]).toBe(ids[0])
  expect(outcome.status).toBe('done')
  expect(sent(outcome, 0)).toMatch(/approved the plan/)
  expect(outcome.message.parts.filter((part) => part.type === 'data-compaction')).toHaveLength(1)
})

it('ends a mode in which only the plan file can be written', async () => {
  const planFile = planFileOf(state)
  const tools = getTools(['Write', 'Read', 'Edit', 'ExitPlanMode'])
  const write = (file: string, id: string) => ({
    call: { name: 'Write', input: { file_path: file, content: 'x\n' }, id },
  })
  const outcome = await play(
    [
      [write(planFile, 'c1'), write('other.txt', 'c2'), write('.git/config', 'c3')],
      [{ call: { name: 'Read', input: { file_path: planFile }, id: 'c4' } }],
      [{ call: { name: 'Edit', input: { file_path: planFile, old_string: 'x', new_string: '# Dig' }, id: 'c5' } }],
      [{ call: { name: 'ExitPlanMode', input: {}, id: 'c6' } }],
      [write('other.txt', 'c7')],
      [{ text: 'over' }],
    ],
    tools,
    {
      state: () => state,
      workspace: { id: 'w', path: state.cwd },
      mode: {
        get: () => mode,
        set(next) {
          mode = next
          return Promise.resolve()
        },
      },
      decide: (asked, ctx) =>
        decide(asked, ctx, createPolicy({}, { mode, planFile, troupeHome: path.dirname(path.dirname(planFile)) })),
    },
    (ask) =>
      ask.kind === 'plan' ? { type: 'plan', choice: 'edit' } : { type: 'deny', remark: `asked: ${ask.reason}` },
  )
  const states = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'].map((id) => `${id} ${call(outcome, id).state}`)
  expect(states).toEqual([
    'c1 output-available',
    'c2 output-denied',
    'c3 output-denied',
    'c4 output-available',
    'c5 output-available',
    'c6 output-available',
    'c7 output-available',
  ])
  expect(call(outcome, 'c6').output).toMatchObject({ plan: '# Dig' })
})
