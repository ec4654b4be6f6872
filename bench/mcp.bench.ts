import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createMcpServer, createTransport } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'

const program = path.join(import.meta.dirname, '../packages/core/testing/mcp-server.mjs')
const warm = 100
const rounds = 500
const calls = 10
const most = 1.3

export const name = 'MCP: a call, against a bare client on the same server'
export const bar = `at most ${most} times`

/**
 * Alternates between both, ten calls at a time, each with its own process. Other load then affects both equally, and
 * the medians come from undisturbed rounds.
 */
export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const bare = new Client({ name: 'bare', version: '1' })
  await bare.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'good'] }))
  const server = createMcpServer({
    name: 'files',
    trusted: { get: () => undefined, set: () => undefined },
    transport: (onText) =>
      createTransport(
        { type: 'stdio', command: process.execPath, args: [program, 'good'], env: {} },
        { folder: process.cwd(), onText },
      ),
  })
  await server.connect()
  const echo = server.tools().find((tool) => tool.name === 'mcp__files_echo')
  if (echo === undefined) throw new Error(server.error)
  const context = testToolContext()
  const input = { text: 'hello' }
  const ways = {
    bare: () => bare.callTool({ name: 'echo', arguments: input }),
    ours: async () => echo.execute(input, context) as unknown,
  }
  try {
    const times = { bare: [] as number[], ours: [] as number[] }
    const work = { bare: [] as number[], ours: [] as number[] }
    for (let round = 0; round < warm + rounds; round++) {
      for (const way of round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const)) {
        const before = process.cpuUsage()
        const begun = performance.now()
        for (let i = 0; i < calls; i++) await ways[way]()
        const took = performance.now() - begun
        const { user, system } = process.cpuUsage(before)
        if (round < warm) continue
        times[way].push(took / calls)
        work[way].push((user + system) / 1000 / calls)
      }
    }
    const ratio = median(times.ours) / median(times.bare)
    const micros = (list: number[]): string => `${Math.round(median(list) * 1000)} µs`
    return {
      value: `${ratio.toFixed(2)} times`,
      ok: ratio <= most,
      detail: `${micros(times.ours)} against ${micros(times.bare)}; CPU of ours ${micros(work.ours)} against ${micros(work.bare)}`,
    }
  } finally {
    await server.close()
    await bare.close()
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
