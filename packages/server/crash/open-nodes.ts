import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerOptions } from '../src/index.ts'
import { createRandom, openModelServer, type Random } from './model-server.ts'
import { type CrashHome, prepareHome, type ServerProcess, startOwner } from './open-home.ts'

/** Nodes on one database and one disk, and a model that outlives them. */
export interface CrashNodes {
  workspace: string
  live(): readonly ServerProcess[]
  /** Starts one more node. */
  add(): Promise<ServerProcess>
  /** Sends a request to any node, as a balancer would: one that refuses the connection gets no more of them. */
  request(target: string, init?: RequestInit): Promise<Response>
  /**
   * As a single server. Each of its kills ends one node, pauses one for a while, or replaces one as an update would: a
   * new node starts, then the old one gets SIGTERM.
   */
  asHome(way: 'kill' | 'pause' | 'replace', pauseMs?: number): CrashHome
  /** Everything that nodes have written to their logs. */
  lines(): string[]
  close(): Promise<void>
}

export async function openNodes(
  folder: string,
  options: {
    count: number
    databaseUrl: string
    seed: number
    cluster?: Partial<ServerOptions['cluster']>
    /** The environment of the node with this number. */
    env?: (index: number) => Record<string, string>
  },
): Promise<CrashNodes> {
  const workspace = path.join(folder, 'workspace')
  mkdirSync(workspace)
  const models = await openModelServer()
  const random: Random = createRandom(options.seed + 77)
  const all: ServerProcess[] = []
  let live: ServerProcess[] = []
  let started = 0
  await Promise.all(Array.from({ length: options.count }, add))
  return {
    workspace,
    live: () => live,
    add,
    request,
    asHome,
    lines: () => all.flatMap(({ lines }) => lines),
    async close() {
      await Promise.all(all.map((node) => node.kill('SIGKILL')))
      await models.close()
    },
  }

  async function add(): Promise<ServerProcess> {
    const home = path.join(folder, `node-${all.length + Math.floor(random.next() * 1e9)}`)
    prepareHome(home, models.baseURL)
    const cluster = {
      databaseUrl: options.databaseUrl,
      secret: 'known to all nodes of this test',
      folder: path.join(folder, 'shared'),
      ...options.cluster,
    }
    const env = options.env?.(started++) ?? {}
    const node = await startOwner(home, workspace, { cluster, env })
    all.push(node)
    live.push(node)
    void node.exited.then(() => (live = live.filter((other) => other !== node)))
    return node
  }

  async function request(target: string, init?: RequestInit): Promise<Response> {
    for (;;) {
      const node = random.pick(live)
      try {
        return await node.request(target, init)
      } catch (error) {
        const { code } = ((error as Error).cause ?? {}) as { code?: string }
        if (code !== 'ECONNREFUSED') throw error
        live = live.filter((other) => other !== node)
      }
    }
  }

  function asHome(way: 'kill' | 'pause' | 'replace', pauseMs = 0): CrashHome {
    const front: ServerProcess = { ...(live[0] as ServerProcess), request, kill }
    let isFirst = true
    return {
      home: folder,
      workspace,
      async start() {
        if (!isFirst && way === 'kill') await add()
        isFirst = false
        return front
      },
      close: () => Promise.resolve(),
    }

    async function kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
      const node = random.pick(live)
      if (signal === 'SIGTERM') {
        const codes = await Promise.all(live.map((one) => one.kill(signal)))
        return codes.find((code) => code !== 0) ?? 0
      }
      if (way === 'kill') return node.kill(signal)
      if (way === 'replace') {
        await add()
        const code = await node.kill('SIGTERM')
        if (code !== 0) throw new Error(`SIGTERM ended a node with ${code}: ${node.lines.join('\n')}`)
        return 0
      }
      node.signal('SIGSTOP')
      // A balancer sends nothing to a node that does not answer.
      live = live.filter((other) => other !== node)
      await sleep(pauseMs)
      node.signal('SIGCONT')
      live.push(node)
      return 0
    }
  }
}
