import { agentKey } from './load-agents.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NamedError } from '../../../protocol/src/error.ts'
import { user } from '../../testing/play-run.ts'
import type { AgentDefinition } from '../agents/agent-definition.ts'
import { createMemoryAsks, createMemoryLog } from '../store/memory.ts'
import type { AgentRecord } from '../store/records.ts'
import { scriptedModel, type ScriptTurn, testApproval } from '../testing/index.ts'
import { getTools } from '../tool/tool-set.ts'
import { type MemoryHost, runWithAgents } from './run-with-agents.ts'

const names = ['a', 'b', 'c', 'd', 'e'] as const
const runs = process.env['TROUPE_TEST_FULL'] === '1' ? 1000 : 60
const tools = [...getTools(['Task', 'WaitAgent', 'AbortAgent', 'SendInput', 'TimeNow']), testApproval]

const name = fc.constantFrom(...names, ...names, 'master', 'nobody')

const move = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('task' as const), name, background: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('approval' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('time' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('inline' as const),
      name,
      tools: fc.subarray(['Task', 'TestApproval', 'TimeNow', 'Bash']),
    }),
  },
)
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never

const definition = fc.record({
  allowedSubAgents: fc.option(fc.subarray([...names]), { nil: undefined, freq: 2 }),
  maxDepth: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 2 }),
  steps: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined, freq: 2 }),
  tools: fc.constantFrom(['agent', 'TestApproval'], ['agent', 'TimeNow'], ['agent'], ['TestApproval']),
  moves: fc.array(fc.array(move, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 }),
})

const troupe = fc.record({
  master: fc.array(fc.array(move, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 2 }),
  agents: fc.tuple(definition, definition, definition, definition, definition),
  budget: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined, freq: 2 }),
  stopAfter: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined, freq: 2 }),
  deny: fc.boolean(),
})

it(`no limit is exceeded, every ask is answered at the root, a stop leaves nothing running (${runs} trees)`, async () => {
  await fc.assert(fc.asyncProperty(troupe, checkTree), { numRuns: runs })
})

async function checkTree(given: typeof troupe extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const definitions: AgentDefinition[] = given.agents.map((agent, i) => ({
    name: names[i] as string,
    description: '',
    prompt: names[i] as string,
    tools: agent.tools,
    allowedSubAgents: agent.allowedSubAgents,
    maxDepth: agent.maxDepth,
    ...(agent.steps !== undefined && { budget: { steps: agent.steps } }),
  }))
  const controller = new AbortController()
  let calls = 0
  let atWork = 0
  let asked = 0
  let answered = 0
  let host: MemoryHost | undefined
  const model = scriptedModel(
    async (prompt) => {
      if (++calls === given.stopAfter) controller.abort(new NamedError('Stopped', 'Stopped by the user.'))
      atWork++
      await Promise.resolve()
      atWork--
      const system = prompt.find(({ role }) => role === 'system')?.content as string
      const steps = prompt.filter(({ role }) => role === 'assistant').length
      const moves = system === 'master' ? given.master : given.agents[names.indexOf(system as 'a')]?.moves
      return [...(moves?.[steps] ?? []).map(callOf), { text: `${system} said ${steps}` }]
    },
    { record: false },
  )
  const log = createMemoryLog()
  const outcome = await runWithAgents(
    {
      runId: 'r1',
      messageId: 'a1',
      session: { id: 's1' },
      workspace: { id: 'w1', path: '/tmp' },
      frames: [{ kind: 'master', name: 'master', depth: 0, path: ['master'] }],
      model: { id: 'test/scripted', model },
      instructions: 'master',
      tools,
      history: [user('go')],
      signal: controller.signal,
      log,
      asks: createMemoryAsks(async (ask) => {
        expect(ask.sessionId).toBe('s1')
        expect(ask.agentPath[0]).toBe('master')
        asked++
        await Promise.resolve()
        answered++
        return given.deny ? { type: 'deny', remark: 'no' } : { type: 'approve' }
      }),
      decide: ({ tool }) => ({
        decision: tool.name === 'TestApproval' ? 'ask' : 'allow',
        reason: '',
        rule: null,
      }),
    },
    {
      definitions,
      tools,
      onHost: (made) => (host = made),
      ...(given.budget !== undefined && { budget: { steps: given.budget } }),
    },
  )
  expect(atWork).toBe(0)
  expect(answered).toBe(asked)
  const records = [...(host as MemoryHost).records.values()]
  for (const record of records) {
    expect(['completed', 'failed', 'stopped']).toContain(record.status)
    checkChain(record, records, definitions)
  }
  if (given.budget !== undefined) expect(calls).toBeLessThanOrEqual(given.budget)
  for (const { name: agent, budget } of definitions) {
    for (const record of records.filter((one) => one.name === agent && one.agentType === 'system'))
      if (budget?.steps !== undefined) expect(record.details?.steps).toBeLessThanOrEqual(budget.steps)
  }
  if (!controller.signal.aborted) expect(outcome.status).toBe('done')
  const before = calls
  await new Promise((resolve) => setImmediate(resolve))
  expect(calls).toBe(before)
}

function checkChain(
  record: AgentRecord,
  records: readonly AgentRecord[],
  definitions: readonly AgentDefinition[],
): void {
  const chain: AgentRecord[] = []
  for (let at: AgentRecord | undefined = record; at !== undefined;) {
    chain.unshift(at)
    const parent: string | null = at.parentAgentId
    at = records.find(({ agentId }) => agentId === parent)
  }
  const keys = ['master', ...chain.map((agent) => agentKey(agent.name))]
  expect(new Set(keys).size).toBe(keys.length)
  const above = chain.slice(0, -1)
  const deepest = Math.min(4, ...above.map((agent) => agent.details?.setup.maxDepth ?? 4))
  expect(above.length + 1).toBeLessThan(deepest)
  const parent = above.at(-1)
  const allowed = parent?.details?.setup.allowedSubAgents
  if (allowed !== undefined) expect(allowed.map(agentKey)).toContain(agentKey(record.name))
  const parentTools = parent?.details?.setup.tools ?? tools.map((tool) => tool.name)
  if (record.agentType === 'dynamic') {
    for (const tool of record.details?.setup.tools ?? []) expect(parentTools).toContain(tool)
  } else expect(definitions.map((known) => known.name)).toContain(record.name)
}

function callOf(given: Move): ScriptTurn[number] {
  switch (given.kind) {
    case 'task':
      return { call: { name: 'Task', input: { name: given.name, task: 'work', background: given.background } } }
    case 'inline':
      return {
        call: {
          name: 'Task',
          input: { name: given.name, task: 'work', config: { systemPrompt: 'inline', tools: given.tools } },
        },
      }
    case 'approval':
      return { call: { name: 'TestApproval', input: {} } }
    case 'time':
      return { call: { name: 'TimeNow', input: {} } }
  }
}
