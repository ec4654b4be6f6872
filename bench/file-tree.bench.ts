import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { longestPause } from '@troupe/core/testing'
import { startServer } from '@troupe/server'

export const name = 'longest pause of the event loop: list and search 100,000 files'
export const bar = 'at most 100 ms of CPU time'

const count = 100_000

export async function run() {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  const [home, workspace] = [path.join(folder, 'home'), path.join(folder, 'workspace')]
  mkdirSync(path.join(workspace, 'flat'), { recursive: true })
  for (let i = 0; i < count; i++) writeFileSync(path.join(workspace, 'flat', `file-${(i * 7919) % count}.ts`), '')
  const server = await startServer({ home, workspace, listen: false, probe: false })
  const pauses: [string, number][] = []
  const watch = async (what: string, target: string): Promise<void> => {
    const { pauseMs } = await longestPause(async () => (await server.fetch(target)).arrayBuffer())
    pauses.push([what, pauseMs])
  }
  try {
    await watch('first page', '/ai/files?path=flat&limit=200')
    await watch('next page', '/ai/files?path=flat&offset=200&limit=10000')
    await watch('first search', '/ai/files/search?q=file-77')
    await watch('search', '/ai/files/search?q=f')
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const longest = Math.max(...pauses.map(([, ms]) => ms))
  return {
    value: `${longest.toFixed(0)} ms`,
    ok: longest <= 100,
    detail: pauses.map(([what, ms]) => `${what} ${ms.toFixed(0)}`).join(', '),
  }
}
