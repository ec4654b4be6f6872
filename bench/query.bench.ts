import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { once } from 'node:events'
import path from 'node:path'
import { findSandbox } from '@troupe/core'
import { longestPause } from '@troupe/core/testing'
import { openQueries } from '../packages/server/src/query/open-queries.ts'
import { median } from './measure.ts'

const bytes = 2 ** 30
const sql = (file: string): string =>
  `select region, product, count(*) as n, sum(amount) as total from '${file}' group by region, product order by total desc`

export const name = 'query: group by over a CSV of 1 GB, against the bare library'
export const bar = 'at most 1.2 x; no pause above 100 ms'

/** Both run in a process of their own, in turns, and the median of the pairs counts. */
export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'query-bench-'))
  try {
    const file = path.join(folder, 'sales.csv')
    await generate(file)
    const { sandbox } = await findSandbox()
    const queries = openQueries({ connections: () => ({}), home: folder, sandbox, limits: { ms: 600_000 } })
    const call = { signal: new AbortController().signal, workspace: { id: 'bench' } }
    const source = { kind: 'files', files: [{ name: 'sales.csv', paths: [file] }], cwd: folder } as const
    const ratios: number[] = []
    const pauses: number[] = []
    const seconds: string[] = []
    for (let round = 0; round < 3; round++) {
      const bare = await timed(() => runBare(file))
      const { result: own, pauseMs } = await longestPause(() =>
        timed(() => queries.run({ source, sql: sql('sales.csv'), limit: 100 }, call)),
      )
      ratios.push(own / bare)
      pauses.push(pauseMs)
      seconds.push(`${(own / 1000).toFixed(2)}/${(bare / 1000).toFixed(2)} s`)
    }
    const ratio = median(ratios)
    const pause = Math.max(...pauses)
    return {
      value: `${ratio.toFixed(2)} x`,
      ok: ratio <= 1.2 && pause <= 100,
      detail: `${seconds.join(', ')}; longest pause ${pause.toFixed(0)} ms; ${sandbox?.name ?? 'no sandbox'}`,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

/** The library without checks, limits or a sandbox, in a new process. */
async function runBare(file: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  const code = `
    import { DuckDBInstance } from '@duckdb/node-api'
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const reader = await connection.runAndReadAll(${JSON.stringify(sql(file))})
    if (reader.getRows().length === 0) throw new Error('no rows')
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: path.join(import.meta.dirname, '../packages/server'),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [status] = (await once(child, 'exit')) as [number]
  if (status !== 0) throw new Error('the bare query failed')
}

async function generate(file: string): Promise<void> {
  const out = createWriteStream(file)
  out.write('id,day,region,product,customer,amount,note\n')
  const regions = ['north', 'south', 'east', 'west']
  let block = ''
  for (let id = 0, written = 0; written < bytes; id++) {
    const day = `2024-${String((id % 12) + 1).padStart(2, '0')}-${String((id % 28) + 1).padStart(2, '0')}`
    block += `${id},${day},${regions[id % 4]},product-${id % 50},customer-${(id * 7919) % 100_003},${((id * 37) % 100_000) / 100},"a note, number ${id % 1000}"\n`
    if (block.length < 2 ** 20) continue
    written += block.length
    if (!out.write(block)) await once(out, 'drain')
    block = ''
  }
  out.end(block)
  await once(out, 'close')
  if (statSync(file).size < bytes) throw new Error('the file is too small')
}
