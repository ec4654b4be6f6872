import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPostgresPool } from '../packages/server/src/stores/postgres/pool.ts'
import {
  createServerFolder,
  findPostgres,
  startPostgresServer,
} from '../packages/server/src/testing/postgres-server.ts'

/** A database server for a bench, behind a cable that can be cut. */
export interface BenchDatabase {
  /** Through the cable. */
  url: string
  /** Directly, for questions of the bench itself. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /** Breaks all connections, and accepts none for a while. */
  cut(ms: number): Promise<void>
  restart(): Promise<void>
  /** CPU seconds that the server has used, over all its processes. */
  cpu(): number
  close(): Promise<void>
}

export async function openDatabase(): Promise<BenchDatabase> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error('Postgres is not installed: apt-get install postgresql')
  const place = createServerFolder('bench')
  const settings = { max_connections: '300', fsync: 'on', synchronous_commit: 'on' }
  let server = await startPostgresServer(programs, place, { settings })
  const { port } = server
  const direct = createPostgresPool({ url: `postgres://troupe@127.0.0.1:${port}/postgres`, log: () => undefined })
  const cable = await openCable(port)
  return {
    url: `postgres://troupe@127.0.0.1:${cable.port}/postgres`,
    query: async (text, values = []) => (await direct.query({ text, values })).rows as never,
    cut: cable.cut,
    async restart() {
      const data = path.join(place.folder, 'data')
      const control = path.join(programs, 'pg_ctl')
      const options = `-k ${place.folder} -p ${port} -h 127.0.0.1 -c max_connections=300`
      const env = { LC_ALL: 'C.UTF-8' }
      execFileSync(control, ['-D', data, '-m', 'fast', '-w', 'stop'], { ...place.as, env })
      const log = path.join(place.folder, 'restart.log')
      execFileSync(control, ['-D', data, '-w', '-l', log, '-o', options, 'start'], { ...place.as, env })
      server = { port, pid: Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]) }
    },
    // Children that have ended count for their parent, which the second pair of fields contains.
    cpu: () => cpuSeconds(server.pid, true) + childrenOf(server.pid).reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    async close() {
      await direct.end()
      cable.close()
      process.kill(server.pid, 'SIGQUIT')
      await sleep(300)
      rmSync(place.folder, { recursive: true, force: true })
    },
  }
}

async function openCable(to: number): Promise<{ port: number; cut(ms: number): Promise<void>; close(): void }> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createTcpServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(to, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async cut(ms) {
      isCut = true
      for (const socket of sockets) socket.destroy()
      await sleep(ms)
      isCut = false
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** An OpenAI-compatible provider that says the time: `times-<count>` sends as many words, 20 a second. */
export async function openClock(): Promise<{ baseURL: string; close(): void }> {
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { model } = JSON.parse(text) as { model: string }
    const count = Number(/times-(\d+)/.exec(model)?.[1] ?? 1)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    // Streams are spread over the interval, as those of real users are.
    await sleep(Math.random() * wordMs)
    const begun = performance.now()
    for (let i = 0; i < count && !response.destroyed; i++) {
      response.write(event(model, { content: `<${Date.now()}>` }))
      await sleep(Math.max(0, begun + (i + 1) * wordMs - performance.now()))
    }
    response.write(event(model, {}, 'stop'))
    response.end('data: [DONE]\n\n')
  }
}

const wordMs = 50

function event(model: string, delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices })}\n\n`
}

export function temporaryFolder(name: string): string {
  return mkdtempSync(path.join(tmpdir(), `troupe-bench-${name}-`))
}

/** CPU seconds that a process has used, without its children, or with those that have ended. */
export function cpuSeconds(pid: number, withEnded = false): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number) ?? []
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  return (user + system + (withEnded ? endedUser + endedSystem : 0)) / 100
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
