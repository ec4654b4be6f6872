import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer } from '@troupe/server'
import { createPromptCache, type CacheUsage } from '../packages/server/src/testing/prompt-cache.ts'
import type { WireTurn } from '../packages/server/src/testing/wire-formats/wire-turn.ts'
import { wireServer } from '../packages/server/src/testing/wire-server.ts'

const model = 'anthropic/claude-sonnet-5-5'

/** Runs ten model calls, nine with a tool call, against a provider that charges like Anthropic. */
async function tenSteps(): Promise<CacheUsage[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  const [home, workspace] = ['home', 'workspace'].map((name) => path.join(folder, name)) as [string, string]
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(workspace)
  const wire = await wireServer()
  const env = { ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: wire.baseURL('anthropic') }
  const server = await startServer({ home, workspace, env, listen: false, probe: false, log: () => undefined })
  try {
    const count = createPromptCache()
    const usage: CacheUsage[] = []
    const charge = (turn: WireTurn) => ({
      turn(body: unknown): WireTurn {
        const counted = count(body)
        usage.push(counted)
        return { ...turn, usage: { ...counted, output: 50, reasoning: 0 } }
      },
    })
    for (let step = 1; step < 10; step++) {
      const todos = [{ content: `step ${step} ${'of a plan '.repeat(30)}`, status: 'pending', activeForm: 'Working' }]
      wire.play(charge({ text: `Step ${step}.`, calls: [{ id: `call_${step}`, name: 'TodoWrite', input: { todos } }] }))
    }
    wire.play(charge({ text: 'Done.' }))
    const message = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Do it in ten steps.' }] }
    const response = await server.fetch('/ai/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId: 'bench', model, responseMode: 'json', message }),
    })
    if (response.status !== 200) throw new Error(await response.text())
    await response.json()
    if (usage.length !== 10) throw new Error(`${usage.length} model calls where ten were expected`)
    return usage
  } finally {
    await server.close()
    await wire.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const name = 'input read from the prompt cache, ten steps with tools'
export const bar = 'at least 85 %'

export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const usage = await tenSteps()
  const sum = (pick: (one: CacheUsage) => number): number => usage.reduce((total, one) => total + pick(one), 0)
  const [input, cached, written] = [sum((one) => one.input), sum((one) => one.cached), sum((one) => one.written)]
  const share = cached / input
  const detail = `${input} tokens of input: ${cached} read, ${written} written, ${input - cached - written} neither`
  return { value: `${(share * 100).toFixed(1)} %`, ok: share >= 0.85, detail }
}
