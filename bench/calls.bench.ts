import { createMemoryAsks, createMemoryLog, createPolicy, decide, defineTool, run, checkTool } from '@troupe/core'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'
import { median } from './measure.ts'

const count = 1000

const noop = checkTool(
  {
    ...defineTool({
      description: 'does nothing',
      input: z.object({ i: z.number() }),
      readOnly: true,
      group: 'bench',
      execute: ({ i }) => Promise.resolve(i),
    }),
    name: 'Noop',
  },
  'noop',
)

function model() {
  const calls = Array.from({ length: count }, (_, i) => ({ call: { name: 'Noop', input: { i }, id: `c${i}` } }))
  return scriptedModel([calls, [{ text: 'done' }]], { record: false })
}

async function cpu(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Baseline: reads the model's stream and calls the tool directly. */
async function bare(): Promise<void> {
  const { stream } = await model().doStream({ prompt: [] })
  const results: Promise<unknown>[] = []
  for await (const part of stream) {
    if (part.type === 'tool-call')
      results.push(Promise.resolve(noop.execute(JSON.parse(part.input) as { i: number }, undefined as never)))
  }
  await Promise.all(results)
}

const policy = createPolicy()

async function ours(): Promise<void> {
  const outcome = await run({
    runId: 'r',
    messageId: 'a',
    session: { id: 's' },
    workspace: { id: 'w', path: '/' },
    frames: [{ kind: 'master', name: 'master', depth: 0, path: ['master'] }],
    model: { id: 'bench/calls', model: model() },
    tools: [noop],
    history: [{ id: 'u', parentMessageId: null, role: 'user', parts: [{ type: 'text', text: 'go' }], createdAt: 0 }],
    signal: new AbortController().signal,
    log: createMemoryLog(),
    asks: createMemoryAsks(() => ({ type: 'approve' })),
    decide: (call, ctx) => decide(call, ctx, policy),
  })
  if (outcome.message.parts.filter((part) => 'output' in part).length !== count) throw new Error('a call has no result')
}

const name = '1,000 no-op read-only calls in one step, beyond the calls'
const bar = 'at most 40 ms CPU'

async function measure(): Promise<{ value: string; ok: boolean; detail: string }> {
  const costs: number[] = []
  const bares: number[] = []
  for (let i = 0; i < 15; i++) {
    bares.push(await cpu(bare))
    costs.push(await cpu(ours))
  }
  const beyond = median(costs.slice(3)) - median(bares.slice(3))
  return {
    value: `${beyond.toFixed(1)} ms`,
    ok: beyond <= 40,
    detail: `${median(costs).toFixed(1)} ms against ${median(bares).toFixed(1)} ms`,
  }
}

export const benches = [{ name, bar, run: measure }]
