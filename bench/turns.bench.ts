import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import { startServer, type Server } from '@troupe/server'
import { median } from './measure.ts'

type Fill = (add: (id: string, parent: string | null) => Promise<void>) => Promise<string>

/**
 * Returns CPU milliseconds of one turn below a fixed leaf: parsing, storing, projecting, answering "ok", storing,
 * exporting.
 */
async function turnCpu(server: Server, sessionId: string, leaf: string, prefix: string): Promise<number> {
  const costs: number[] = []
  for (let i = 0; i < 25; i++) {
    const before = process.cpuUsage()
    const response = await server.fetch('/ai/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        sessionId,
        model: 'bench/ok',
        responseMode: 'json',
        parentMessageId: leaf,
        message: { id: `${prefix}-${sessionId}-${i}`, role: 'user', parts: [{ type: 'text', text: 'go on' }] },
      }),
    })
    if (response.status !== 200) throw new Error(await response.text())
    await response.json()
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / 1000)
  }
  return median(costs.slice(5))
}

async function fill(server: Server, sessionId: string, build: Fill): Promise<string> {
  await server.store.sessions.create({ id: sessionId, workspaceId: server.workspace.id })
  return server.store.transaction((store) =>
    build(async (id, parentMessageId) => {
      const answer = id.endsWith('a')
      const text = `${id} ${'some words of an ordinary message '.repeat(12)}`
      await store.messages.add(
        { sessionId },
        { id, parentMessageId, role: answer ? 'assistant' : 'user', parts: [{ type: 'text', text }], createdAt: 1 },
      )
    }),
  )
}

/** Creates a chain of alternating user messages and answers. Returns its leaf. */
const line =
  (length: number, prefix = 'l', from: string | null = null): Fill =>
  async (add) => {
    let parent = from
    for (let i = 0; i < length; i++) {
      const id = `${prefix}${i}${i % 2 === 0 ? 'u' : 'a'}`
      await add(id, parent)
      parent = id
    }
    return parent as string
  }

/** Creates the same chain of 50 inside a tree: the other messages branch off it in groups of 20. */
const tree =
  (total: number): Fill =>
  async (add) => {
    const leaf = await line(50)(add)
    for (let made = 50, branch = 0; made < total; made += 20, branch++)
      await line(20, `b${branch}x`, `l${(branch % 25) * 2}u`)(add)
    return leaf
  }

export const benches = [
  {
    name: 'a turn on a 50-message branch in a big tree, beyond the branch alone; a 1,000-message branch',
    bar: 'at most 3 ms CPU more in 1,000 and 10,000 messages; at most 15 ms for a branch of 1,000',
    async run() {
      const home = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
      const server = await startServer({
        home,
        workspace: home,
        listen: false,
        probe: false,
        models: { 'bench/ok': scriptedModel(() => [{ text: 'ok' }], { record: false }) },
      })
      try {
        const leaves = {
          alone: await fill(server, 'alone', line(50)),
          thousand: await fill(server, 'thousand', tree(1000)),
          many: await fill(server, 'many', tree(10_000)),
          long: await fill(server, 'long', line(1000)),
        }
        await turnCpu(server, 'alone', leaves.alone, 'warm')
        const cost: Record<string, number> = {}
        for (const [sessionId, leaf] of Object.entries(leaves))
          cost[sessionId] = await turnCpu(server, sessionId, leaf, 'turn')
        const { alone = 0, thousand = 0, many = 0, long = 0 } = cost
        const ok = thousand - alone <= 3 && many - alone <= 3 && long <= 15
        return {
          value: `+${(thousand - alone).toFixed(1)} ms, +${(many - alone).toFixed(1)} ms; ${long.toFixed(1)} ms`,
          ok,
          detail: `branch alone ${alone.toFixed(1)} ms`,
        }
      } finally {
        await server.close()
        rmSync(home, { recursive: true, force: true })
      }
    },
  },
]
