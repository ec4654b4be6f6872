import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type AgentDefinition, getTools, type Tool } from '@troupe/core'
import type { Script, ScriptTurn } from '@troupe/core/testing'
import { openTestRuns, type TestRuns } from '../packages/server/src/testing/open-runs.ts'
import { median, times } from './measure.ts'

const toolList = getTools(['Task', 'TimeNow']) as Tool[]
const agents = (): Promise<AgentDefinition[]> =>
  Promise.resolve([{ name: 'worker', description: '', prompt: 'worker', tools: ['TimeNow'] }])
const blocks = (_: unknown, prompt: string): Promise<{ name: string; text: string }[]> =>
  Promise.resolve([{ name: 'prompt', text: prompt }])

const task = (text: string): ScriptTurn[number] => ({ call: { name: 'Task', input: { name: 'worker', task: text } } })

/** The main agent assigns the tasks; `worker` scripts the sub-agents. */
function script(tasks: number, worker: (step: number, told: string) => ScriptTurn): Script {
  return (prompt) => {
    const isMaster = prompt.some(({ role, content }) => role === 'system' && content === 'master')
    const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user'))
    const step = since.filter(({ role }) => role === 'assistant').length
    if (isMaster) return step === 0 ? Array.from({ length: tasks }, (_, i) => task(`task ${i}`)) : [{ text: 'end' }]
    return worker(step, JSON.stringify(prompt.findLast(({ role }) => role === 'user')?.content))
  }
}

function byteCounter(): { bytes: number; ended: Promise<void>; sink: Parameters<Run['subscribe']>[0] } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const counter = {
    bytes: 0,
    ended: promise,
    sink: {
      write(text: string) {
        counter.bytes += Buffer.byteLength(text)
        return 0
      },
      onDrain: () => undefined,
      cut: () => undefined,
      end: () => resolve(),
    },
  }
  return counter
}
type Run = Awaited<ReturnType<TestRuns['ask']>>

async function rootBytes(): Promise<{ value: string; ok: boolean; detail: string }> {
  const words = Array.from({ length: 2000 }, (_, i) => `word${i} `)
  const test = await openTestRuns(
    script(2, () => [{ text: words.join(''), chunks: words.map((word) => word.length), delayMs: 0.05 }]),
    { toolList, agents, blocks },
  )
  try {
    const root = byteCounter()
    const run = await test.ask('go')
    run.subscribe(root.sink, {})
    let children: string[] = []
    while (children.length < 2) {
      await delay(1)
      children = (await test.store.agents.list('s1')).map(({ agentId }) => agentId)
    }
    const alone = children.map((agentId) => {
      const counter = byteCounter()
      const child = test.runs.getAgent('s1', agentId)
      child?.subscribe(counter.sink, {})
      return child === undefined ? undefined : counter
    })
    await run.done
    await root.ended
    const counted = alone.flatMap((counter) => counter ?? [])
    if (counted.length !== 2) throw new Error('a child was over before it could be followed')
    await Promise.all(counted.map(({ ended }) => ended))
    const sum = counted.reduce((total, { bytes }) => total + bytes, 0)
    const ratio = root.bytes / sum
    return { value: times(ratio), ok: ratio <= 1.5, detail: `${root.bytes} bytes against ${sum} bytes` }
  } finally {
    await test.close()
  }
}

async function spawnTime(): Promise<{ value: string; ok: boolean; detail: string }> {
  let asked = 0
  let begun = 0
  const test = await openTestRuns(
    (prompt) => {
      const isMaster = prompt.some(({ role, content }) => role === 'system' && content === 'master')
      const isAsked = prompt.at(-1)?.role === 'user'
      if (!isMaster) begun = performance.now()
      else if (isAsked) asked = performance.now()
      return isMaster && isAsked ? [task('hello')] : [{ text: 'hello' }]
    },
    { toolList, agents, blocks },
  )
  try {
    const costs: number[] = []
    for (let i = 0; i < 25; i++) {
      await (
        await test.ask(`go ${i}`)
      ).done
      costs.push(begun - asked)
    }
    const cost = median(costs.slice(5))
    const detail =
      "from the master's model call to the sub-agent's, which its first chunks come before; models take no time"
    return { value: `${cost.toFixed(1)} ms`, ok: cost <= 10, detail }
  } finally {
    await test.close()
  }
}

/** Runs the garbage collector, so that only live memory counts. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  gc()
}

async function hundred(): Promise<{ value: string; ok: boolean; detail: string }> {
  const begun: string[] = []
  const test = await openTestRuns(
    script(100, (step, told) => {
      const id = /task \d+/.exec(told)?.[0] as string
      if (step === 0) begun.push(id)
      return step < 2 ? [{ call: { name: 'TimeNow', input: {} } }] : [{ text: `done ${id}` }]
    }),
    { toolList, agents, blocks },
  )
  try {
    await (
      await test.ask('warm')
    ).done
    begun.length = 0
    collect()
    const before = process.memoryUsage()
    const message = await (await test.ask('go')).done
    collect()
    const after = process.memoryUsage()
    const grown = (after.heapUsed + after.external - before.heapUsed - before.external) / 2 ** 20
    const resident = (after.rss - before.rss) / 2 ** 20
    const results = message.parts.flatMap((part) => ('output' in part ? [(part.output as { text: string }).text] : []))
    const expected = Array.from({ length: 100 }, (_, i) => `task ${i}`)
    const right = expected.every((id, i) => results[i] === `done ${id}`)
    const inOrder = expected.every((id, i) => begun[i] === id)
    return {
      value: `${grown.toFixed(1)} MB`,
      ok: grown <= 20 && right && inOrder,
      detail: `resident ${resident.toFixed(1)} MB; ${results.length} results ${right ? 'right' : 'WRONG'}, starts ${inOrder ? 'in order' : 'OUT OF ORDER'}`,
    }
  } finally {
    await test.close()
  }
}

export const benches = [
  { name: 'root stream for two children of 2,000 deltas each', bar: 'at most 1.5x the two streams', run: rootBytes },
  { name: 'spawn to first child chunk', bar: 'at most 10 ms', run: spawnTime },
  { name: '100 children, 4 at a time, 3 steps each: memory', bar: 'at most 20 MB', run: hundred },
]
