import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { testToolContext } from '@troupe/core/testing'
import { createAgentState, disposeAgentState } from '../packages/core/src/run/create-agent-state.ts'
import bash from '../packages/core/src/tools/bash.ts'
import { median, times } from './measure.ts'

/** Baseline: starts bash directly, reads its output, waits for its end. */
function bareSpawn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.resume()
    child.stderr.resume()
    child.once('error', reject)
    child.once('close', () => resolve())
  })
}

async function withTool<T>(work: (call: (command: string) => Promise<void>) => Promise<T>): Promise<T> {
  const workspace = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  const outputFolder = path.join(workspace, 'output')
  const state = createAgentState({ workspace, outputFolder })
  const ctx = Object.assign(testToolContext(), { state })
  try {
    return await work(async (command) => {
      const running = bash.execute({ command }, ctx) as AsyncGenerator<unknown, { exitCode: number | null }>
      for (;;) {
        const step = await running.next()
        if (step.done !== true) continue
        if (step.value.exitCode !== 0) throw new Error(`"${command}" ended with ${step.value.exitCode}`)
        return
      }
    })
  } finally {
    await disposeAgentState(state)
    rmSync(workspace, { recursive: true })
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function measureStart(): Promise<{ value: string; ok: boolean; detail: string }> {
  return withTool(async (call) => {
    const ours: number[] = []
    const bare: number[] = []
    for (let i = 0; i < 300; i++) {
      bare.push(await timed(bareSpawn))
      ours.push(await timed(() => call('true')))
    }
    const [tool, spawned] = [median(ours.slice(20)), median(bare.slice(20))]
    const ratio = tool / spawned
    return { value: times(ratio), ok: ratio <= 2, detail: `${tool.toFixed(2)} ms against ${spawned.toFixed(2)} ms` }
  })
}

async function measureFlood(): Promise<{ value: string; ok: boolean; detail: string }> {
  return withTool(async (call) => {
    await call('head -c 20000000 /dev/zero | tr "\\0" x')
    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10)
    const ms = await timed(() => call('head -c 1000000000 /dev/zero | tr "\\0" x'))
    clearInterval(watch)
    const grown = (most - before) / 1e6
    return {
      value: `${grown.toFixed(0)} MB`,
      ok: grown <= 100,
      detail: `${(ms / 1000).toFixed(1)} s, 256 MiB of it kept in a file`,
    }
  })
}

export const benches = [
  { name: 'Bash true, without sandbox', bar: 'at most 2 times a bare spawn', run: measureStart },
  { name: 'Bash that prints 1 GB, growth of memory', bar: 'at most 100 MB', run: measureFlood },
]
