import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { processMark, processStartTime } from '@troupe/core'
import { newId } from '@troupe/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { killOrphanProcesses } from './recover.ts'

const started: ChildProcess[] = []

afterEach(() => {
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid as number), 'SIGKILL')
    } catch {
      // The process is gone, as expected.
    }
  }
})

async function start(
  command: string,
  env: Record<string, string> = {},
): Promise<{ pid: number; exited: Promise<unknown> }> {
  const child = spawn('sh', ['-c', command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  started.push(child)
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  return { pid: child.pid as number, exited }
}

/** Ignores zombies that were not reaped. */
function groupIsAlive(group: number): boolean {
  const lines = execFileSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' }).split('\n')
  return lines.some((line) => {
    const [pgid, stat = 'Z'] = line.trim().split(/\s+/)
    return Number(pgid) === group && !stat.startsWith('Z')
  })
}

describe('ending processes of a crashed server', () => {
  it('ends the whole process group of a journaled leader', async () => {
    const { pid, exited } = await start('sleep 60 & echo ready; sleep 60')
    killOrphanProcesses([{ runId: newId('run_'), processes: [{ pid, startTime: processStartTime(pid) as string }] }])
    await exited
    await expect.poll(() => groupIsAlive(pid)).toBe(false)
  })

  it('ignores a process that only has the pid of an ended one', async () => {
    const { pid } = await start('echo ready; sleep 60')
    const other = `1 ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`
    killOrphanProcesses([
      {
        runId: newId('run_'),
        processes: [
          { pid, startTime: other },
          { pid, startTime: '' },
        ],
      },
    ])
    expect(groupIsAlive(pid)).toBe(true)
  })

  it.runIf(process.platform === 'linux')('finds processes of an ended leader by the marker of their call', async () => {
    const runId = newId('run_')
    const { pid, exited } = await start('sleep 60 & echo ready', processMark(runId, 'call_1'))
    await exited
    expect(groupIsAlive(pid)).toBe(true)
    killOrphanProcesses([{ runId: newId('run_'), processes: [] }])
    expect(groupIsAlive(pid)).toBe(true)
    killOrphanProcesses([{ runId, processes: [{ pid, startTime: '1 gone' }] }])
    await expect.poll(() => groupIsAlive(pid)).toBe(false)
  })
})
