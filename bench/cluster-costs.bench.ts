import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openModelServer } from '../packages/server/crash/model-server.ts'
import { prepareHome, type ServerProcess, startOwner } from '../packages/server/crash/open-home.ts'
import { type BenchDatabase, cpuSeconds, openDatabase, temporaryFolder } from './cluster-setup.ts'

const count = 200
const watchedMs = 10_000

export const name = 'cluster: cost of an idle node, a parked approval and an idle chat'
export const bar = 'none'

export async function run() {
  const folder = temporaryFolder('costs')
  const workspace = path.join(folder, 'workspace')
  mkdirSync(workspace)
  const [database, models] = [await openDatabase(), await openModelServer()]
  prepareHome(path.join(folder, 'home'), models.baseURL, { titles: 'words' })
  const cluster = { databaseUrl: database.url, secret: 'bench' }
  const collect = `data:text/javascript,process.on('SIGUSR2',()=>{gc();console.error('heap',process.memoryUsage().heapUsed)})`
  const execArgv = ['--expose-gc', `--import=${collect}`]
  const node = await startOwner(path.join(folder, 'home'), workspace, { cluster, execArgv })
  try {
    await Promise.all(range(20, 'warm').map((id) => send(node, id, 'ask:w.')))
    const idle = await watch(node, database)
    const before = await state(node, database)
    for (const part of chunks(range(count, 'parked'), 20)) await Promise.all(part.map((id) => send(node, id, 'ask:k.')))
    const parked = await state(node, database)
    const withParked = await watch(node, database)
    for (const part of chunks(range(count, 'parked'), 20)) await Promise.all(part.map((id) => stop(node, id)))
    await sleep(3000)
    const over = await state(node, database)
    const share = (from: number, to: number): string => `${((to - from) / count / 1024).toFixed(1)} KB`
    return {
      value: `idle node ${percent(idle.cpu)} of a core, ${idle.transactions.toFixed(1)} transactions/s; parked approval ${share(before.memory, parked.memory)} of memory`,
      ok: true,
      detail: `with ${count} parked approvals ${percent(withParked.cpu)} of a core, ${withParked.transactions.toFixed(1)} transactions/s; ${share(before.stored, parked.stored)} stored for each; after their end ${share(before.memory, over.memory)} of memory remain for each`,
    }
  } finally {
    await node.kill('SIGKILL')
    await models.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns once the run waits: the response ends then. */
async function send(node: ServerProcess, sessionId: string, text: string): Promise<void> {
  const message = { id: `m-${sessionId}`, role: 'user', parts: [{ type: 'text', text }] }
  const response = await node.request('/ai/chat', { method: 'POST', body: JSON.stringify({ sessionId, message }) })
  if (!response.ok) throw new Error(`refused: ${response.status} ${await response.text()}`)
  await response.text()
}

async function stop(node: ServerProcess, sessionId: string): Promise<void> {
  await (await node.request(`/ai/chat/${sessionId}/stop`, { method: 'POST', body: '{}' })).text()
}

async function watch(node: ServerProcess, database: BenchDatabase): Promise<{ cpu: number; transactions: number }> {
  const read = async (): Promise<number> => {
    const [row] = await database.query<{ count: number }>(
      `select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = 'postgres'`,
    )
    return row?.count ?? 0
  }
  const [cpu, transactions] = [cpuSeconds(node.pid), await read()]
  await sleep(watchedMs)
  const seconds = watchedMs / 1000
  return { cpu: (cpuSeconds(node.pid) - cpu) / seconds, transactions: ((await read()) - transactions) / seconds }
}

async function state(node: ServerProcess, database: BenchDatabase): Promise<{ memory: number; stored: number }> {
  // Garbage is no cost of a chat. The second time finds what finalizers released.
  for (let i = 0; i < 2; i++) {
    process.kill(node.pid, 'SIGUSR2')
    await sleep(2000)
  }
  const [row] = await database.query<{ size: number }>(`select pg_database_size('postgres')::float8 as size`)
  const heap = node.lines.findLast((line) => line.startsWith('heap '))?.slice('heap '.length)
  return { memory: Number(heap), stored: row?.size ?? 0 }
}

function range(length: number, prefix: string): string[] {
  return Array.from({ length }, (_, i) => `${prefix}-${i}`)
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
