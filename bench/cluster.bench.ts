import { rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkPlayed, type Report } from '../packages/server/crash/check-survivors.ts'
import { type CrashNodes, openNodes } from '../packages/server/crash/open-nodes.ts'
import { prepareHome, type ServerProcess, startOwner } from '../packages/server/crash/open-home.ts'
import { type Played, playRounds } from '../packages/server/crash/play-rounds.ts'
import { openPostgresStore } from '../packages/server/src/stores/postgres/open-postgres.ts'
import {
  type BenchDatabase,
  cpuSeconds,
  openClock,
  openDatabase,
  percentile,
  temporaryFolder,
} from './cluster-setup.ts'
import { times } from './measure.ts'

const rounds = Number(process.env['TROUPE_BENCH_ROUNDS'] ?? 30)
const chats = Number(process.env['TROUPE_BENCH_CHATS'] ?? 200)

/** Plays chats with tools on three nodes while something happens to them, then checks every message and write. */
async function play(
  work: (given: { nodes: CrashNodes; database: BenchDatabase; seed: number }) => Promise<Played>,
  cluster = {},
): Promise<Report> {
  const folder = temporaryFolder('cluster')
  const database = await openDatabase()
  const seed = Date.now() % 1_000_000
  const nodes = await openNodes(folder, { count: 3, databaseUrl: database.url, seed, cluster })
  try {
    const played = await work({ nodes, database, seed })
    const store = await openPostgresStore({ url: database.url })
    const report = await checkPlayed(store, nodes.workspace, { ...played, lines: [] })
    await store.close()
    if (report.problems.length > 0) console.error(`seed ${seed}`, report.problems.slice(0, 20))
    return report
  } finally {
    await nodes.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function summary(report: Report): string {
  const { turns, writes, unknownOutcomes, steered, answered, resets } = report
  return `${turns} turns, ${writes} writes, ${answered} approvals, ${steered} steering messages; ${unknownOutcomes} unknown outcomes, ${resets} repeated model calls`
}

/** Kills a node and returns the milliseconds until each of its unfinished chats had another owner. */
async function takeovers(nodes: CrashNodes, database: BenchDatabase): Promise<number[]> {
  const victim = nodes.live()[0] as ServerProcess
  const owned = await database.query<{ session_id: string; node_id: string }>(
    `select distinct session_lease.session_id, node_id from session_lease
     join node on node.id = node_id and node.url = $1
     join run on run.session_id = session_lease.session_id and run.ended_at is null`,
    [victim.url],
  )
  const killed = performance.now()
  await victim.kill('SIGKILL')
  const waiting = new Map(owned.map(({ session_id, node_id }) => [session_id, node_id]))
  const found: number[] = []
  while (waiting.size > 0 && performance.now() - killed < 60_000) {
    await sleep(50)
    const rows = await database.query<{ session_id: string; node_id: string }>(
      'select session_id, node_id from session_lease where session_id = any($1)',
      [[...waiting.keys()]],
    )
    for (const { session_id, node_id } of rows) {
      if (node_id === waiting.get(session_id)) continue
      waiting.delete(session_id)
      found.push(performance.now() - killed)
    }
  }
  return [...found, ...Array.from(waiting, () => Number.POSITIVE_INFINITY)]
}

/** Kills nodes under chats with tools. Returns the takeover times, too. */
async function playKills(given: { rounds: number; chats: number }): Promise<{ report: Report; all: number[] }> {
  const all: number[] = []
  const report = await play(({ nodes, database, seed }) => {
    const home = nodes.asHome('kill')
    return playRounds(
      {
        ...home,
        async start() {
          const front = await home.start()
          return {
            ...front,
            async kill(signal) {
              if (signal === 'SIGTERM') return front.kill(signal)
              all.push(...(await takeovers(nodes, database)))
              return null
            },
          }
        },
      },
      // A node that gets no CPU for seconds loses its lease. Its clients try again.
      { kills: given.rounds, sessions: given.chats, seed, patient: true },
    )
  })
  return { report, all }
}

function playPause(ms: number, chats: number): Promise<Report> {
  return play(({ nodes, seed }) =>
    playRounds(nodes.asHome('pause', ms), { kills: 1, sessions: chats, seed, patient: true }),
  )
}

/** How busy the machine is. Other work on it makes every figure worse. */
function load(): string {
  return `load average ${loadavg()[0]?.toFixed(1) ?? ''} on ${availableParallelism()} cores`
}

export const benches = [
  {
    name: `cluster: ${chats} live runs with tools, a node killed ${rounds} times`,
    bar: 'all finish, no write twice, nothing lost or doubled at a client; takeover p95 under 10 s',
    async run() {
      const { report, all } = await playKills({ rounds, chats })
      const p95 = percentile(all, 0.95)
      return {
        value: `${report.problems.length} problems; takeover p50 ${seconds(percentile(all, 0.5))}, p95 ${seconds(p95)}`,
        ok: report.problems.length === 0 && report.interrupted === 0 && p95 < 10_000,
        detail: `${all.length} takeovers; ${summary(report)}; ${load()}`,
      }
    },
  },
  {
    name: 'cluster: a node stopped for 60 s, then continued',
    bar: 'it writes nothing more; every run has one history',
    async run() {
      const report = await playPause(60_000, 30)
      const ok = report.problems.length === 0 && report.interrupted === 0
      return { value: `${report.problems.length} problems`, ok, detail: summary(report) }
    },
  },
  {
    name: 'cluster: Postgres restarted, then cut off for 20 s, under load',
    bar: 'no run lost, nodes and clients recover by themselves',
    async run() {
      const report = await play(({ nodes, database, seed }) => {
        const home = nodes.asHome('kill')
        let faults = 0
        return playRounds(
          {
            ...home,
            async start() {
              const front = faults === 0 ? await home.start() : (nodes.live()[0] as ServerProcess)
              return {
                ...front,
                request: nodes.request,
                async kill(signal) {
                  if (signal === 'SIGTERM') return front.kill(signal)
                  faults++
                  if (faults === 1) await database.restart()
                  else await database.cut(20_000)
                  await sleep(3000)
                  return null
                },
              }
            },
          },
          { kills: 2, sessions: 30, seed, patient: true },
        )
      })
      const ok = report.problems.length === 0 && report.interrupted === 0
      const value = `${report.problems.length} problems, ${report.interrupted} interrupted`
      return { value, ok, detail: summary(report) }
    },
  },
  {
    name: 'cluster: all nodes replaced one by one under load',
    bar: '0 failed requests beyond reconnects, 0 interrupted runs',
    async run() {
      // So that only the replacement counts, not how busy the machine is.
      const report = await play(
        ({ nodes, seed }) => playRounds(nodes.asHome('replace'), { kills: 3, sessions: 30, seed, calm: true }),
        { leaseMs: 30_000, beatMs: 1000 },
      )
      const ok = report.problems.length === 0 && report.interrupted === 0 && report.unknownOutcomes === 0
      return {
        value: `${report.problems.length} problems, ${report.interrupted} interrupted`,
        ok,
        detail: summary(report),
      }
    },
  },
  {
    name: 'cluster: from the owner to a reader on another node, 200 streams, 4,000 chunks/s',
    bar: 'p50 30 ms, p99 100 ms; CPU per chunk at most 2x a single node',
    async run() {
      const folder = temporaryFolder('stream')
      const database = await openDatabase()
      const clock = await openClock()
      try {
        const alone = await startAlone(folder, clock.baseURL)
        const single = await streamed([alone], alone, 200)
        await alone.kill('SIGKILL')
        const pair = [
          await startNode(folder, 'a', clock.baseURL, database),
          await startNode(folder, 'b', clock.baseURL, database),
        ]
        const [owner, reader] = pair as [ServerProcess, ServerProcess]
        const databaseBefore = database.cpu()
        const across = await streamed([owner, reader], reader, 200)
        const databaseCpu = ((database.cpu() - databaseBefore) * 1e6) / across.ms.length
        await Promise.all(pair.map((node) => node.kill('SIGKILL')))
        const [p50, p99] = [percentile(across.ms, 0.5), percentile(across.ms, 0.99)]
        const ratio = across.cpu / single.cpu
        return {
          value: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; CPU ${times(ratio)}`,
          ok: p50 <= 30 && p99 <= 100 && ratio <= 2,
          detail: `${across.ms.length} chunks; ${micros(across.cpu)} on two nodes and ${micros(databaseCpu)} in Postgres against ${micros(single.cpu)} on one, where p50 is ${percentile(single.ms, 0.5).toFixed(0)} ms; ${load()}`,
        }
      } finally {
        clock.close()
        await database.close()
        rmSync(folder, { recursive: true, force: true })
      }
    },
  },
  {
    name: 'cluster: durable step in the engine',
    bar: 'at most 3 ms',
    async run() {
      const { measureEngine } = await import('./cluster-engine.ts')
      const { openPgBossEngine } = await import('../packages/server/src/cluster/pg-boss-engine.ts')
      const { begin, end } = await measureEngine(openPgBossEngine)
      return {
        value: `${(begin + end).toFixed(2)} ms`,
        ok: begin + end <= 3,
        detail: `median: begin ${begin.toFixed(2)} ms beyond an empty transaction, end ${end.toFixed(2)} ms; ${load()}`,
      }
    },
  },
  ...(['pg-boss', 'openworkflow'] as const).map((name) => ({
    name: `cluster: engine ${name}, 20 live runs, a node killed 5 times, one stopped for 10 s, a schedule each minute`,
    bar: 'no problems; takeover p95 under 10 s; once a minute',
    async run() {
      const { engineNamed, measureEngine, measureSchedule } = await import('./cluster-engine.ts')
      process.env['TROUPE_TEST_ENGINE'] = name
      try {
        const open = await engineNamed(name)
        const scheduled = measureSchedule(open)
        const { report, all } = await playKills({ rounds: 5, chats: 20 })
        const paused = await playPause(10_000, 20)
        const { begin, end, handOver } = await measureEngine(open)
        const { minutes, calls, late } = await scheduled
        const problems = report.problems.length + paused.problems.length
        const p95 = percentile(all, 0.95)
        return {
          value: `${problems} problems; takeover p50 ${seconds(percentile(all, 0.5))}, p95 ${seconds(p95)}`,
          ok: problems === 0 && p95 < 10_000 && calls === minutes,
          detail: `begin ${begin.toFixed(2)} ms, end ${end.toFixed(2)} ms, release and take ${handOver.toFixed(2)} ms; ${calls} calls in ${minutes} minutes, up to ${seconds(late)} late; ${all.length} takeovers; ${summary(report)}`,
        }
      } finally {
        delete process.env['TROUPE_TEST_ENGINE']
      }
    },
  })),
]

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function micros(value: number): string {
  return `${value.toFixed(0)} µs`
}

async function startAlone(folder: string, baseURL: string): Promise<ServerProcess> {
  const home = path.join(folder, 'alone')
  prepareHome(home, baseURL, { titles: 'words' })
  return startOwner(home, folder)
}

async function startNode(
  folder: string,
  name: string,
  baseURL: string,
  database: BenchDatabase,
): Promise<ServerProcess> {
  const home = path.join(folder, name)
  prepareHome(home, baseURL, { titles: 'words' })
  return startOwner(home, folder, { cluster: { databaseUrl: database.url, secret: 'bench' } })
}

/** Starts runs on the first node and reads them on another. Returns the age of each chunk, and CPU per chunk. */
async function streamed(
  nodes: readonly ServerProcess[],
  reader: ServerProcess,
  streams: number,
): Promise<{ ms: number[]; cpu: number }> {
  const [owner] = nodes as [ServerProcess]
  const words = 160
  const ms: number[] = []
  const used = (): number => nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
  // The first requests load modules.
  await Promise.all(Array.from({ length: 10 }, (_, i) => oneStream(`warm-${i}`, 5, [])))
  const before = used()
  await Promise.all(Array.from({ length: streams }, (_, i) => oneStream(`s-${i}`, words, ms)))
  return { ms, cpu: ((used() - before) * 1e6) / (streams * words) }

  async function oneStream(sessionId: string, count: number, into: number[]): Promise<void> {
    const message = { id: `m-${sessionId}`, role: 'user', parts: [{ type: 'text', text: 'What time is it?' }] }
    const body = JSON.stringify({ sessionId, model: `crash/times-${count}`, message })
    const posted = await owner.request('/ai/chat', { method: 'POST', body })
    if (reader !== owner) await posted.body?.cancel()
    const response = reader === owner ? posted : await reader.request(`/ai/chat/${sessionId}/stream`)
    if (response.body === null) throw new Error(`nothing to read: ${response.status}`)
    let rest = ''
    for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
      const now = Date.now()
      rest += bytes
      for (const [, time] of rest.matchAll(/<(\d{13})>/g)) into.push(now - Number(time))
      rest = rest.slice(rest.lastIndexOf('\n') + 1)
    }
  }
}
