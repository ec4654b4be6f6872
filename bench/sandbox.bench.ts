import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { testToolContext } from '@troupe/core/testing'
import { createAgentState, disposeAgentState } from '../packages/core/src/run/create-agent-state.ts'
import { findSandbox } from '../packages/core/src/sandbox/find-sandbox.ts'
import bash from '../packages/core/src/tools/bash.ts'
import { median } from './measure.ts'

type Confinement = 'workspace' | 'read-only'

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

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Returns the median of the faster half: other load affects many small steps repeatedly. */
function undisturbed(values: number[]): number {
  return median(values.toSorted((a, b) => a - b).slice(0, values.length / 2))
}

async function measureStart(confinement: Confinement): Promise<{ value: string; ok: boolean; detail: string }> {
  const { sandbox, text } = await findSandbox()
  if (sandbox === undefined) return { value: 'no sandbox', ok: true, detail: text }
  const workspace = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  const state = createAgentState({ workspace, outputFolder: path.join(workspace, 'output'), sandbox })
  const ctx = Object.assign(testToolContext(), { state, granted: { confinement, outside: [] } })
  try {
    const ours: number[] = []
    const bare: number[] = []
    for (let i = 0; i < 120; i++) {
      bare.push(await timed(bareSpawn))
      ours.push(await timed(() => runTrue(ctx)))
      // The kernel removes network namespaces slowly and delays new ones if dozens are created.
      await delay(30)
    }
    const [inside, spawned] = [undisturbed(ours.slice(20)), undisturbed(bare.slice(20))]
    const beyond = inside - spawned
    return {
      value: `${beyond.toFixed(1)} ms`,
      ok: beyond <= 25,
      detail: `${inside.toFixed(1)} ms against ${spawned.toFixed(1)} ms`,
    }
  } finally {
    await disposeAgentState(state)
    rmSync(workspace, { recursive: true })
  }
}

async function runTrue(ctx: ReturnType<typeof testToolContext>): Promise<void> {
  const running = bash.execute({ command: 'true' }, ctx) as AsyncGenerator<unknown, { exitCode: number | null }>
  for (;;) {
    const step = await running.next()
    if (step.done !== true) continue
    if (step.value.exitCode !== 0) throw new Error(`it ended with ${step.value.exitCode}`)
    return
  }
}

const bar = 'at most 25 ms beyond a bare spawn'
export const benches = [
  { name: 'Bash true in the sandbox, workspace writable', bar, run: () => measureStart('workspace') },
  { name: 'Bash true in the sandbox, workspace read-only', bar, run: () => measureStart('read-only') },
]
