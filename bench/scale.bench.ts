import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { makeLargeHome } from './large-home.ts'
import { median, times } from './measure.ts'

const troupe = path.resolve(import.meta.dirname, '../packages/cli/bin/troupe')
/** Use `TROUPE_BENCH_SESSIONS=20000` for the size the bars refer to. Creating that home takes minutes. */
const sessions = Number(process.env['TROUPE_BENCH_SESSIONS'] ?? 4000)
const messagesEach = 25

interface Running {
  startMs: number
  rssMb(): number
  request(target: string, init?: RequestInit): Promise<Response>
  stop(): Promise<void>
}

export async function start(home: string, workspace: string): Promise<Running> {
  const begun = performance.now()
  const child = spawn(troupe, ['serve', '--port', '0', '--no-open', '--json', '--workspace', workspace], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TROUPE_HOME: home, TROUPE_MODEL: 'demo/tour' },
  })
  const { port } = await firstLine(child)
  const startMs = performance.now() - begun
  const token = readFileSync(path.join(home, 'token'), 'utf8').trim()
  return {
    startMs,
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    request: (target, init = {}) =>
      fetch(`http://127.0.0.1:${port}${target}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      }),
    async stop() {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('close', resolve))
    },
  }
}

async function firstLine(child: ChildProcess): Promise<{ port: number }> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line) as { port: number }
  throw new Error('the server ended before it was ready')
}

async function timed(running: Running, target: string, init?: RequestInit): Promise<{ ms: number; waitMs: number }> {
  let ended = false
  let waitMs = 0
  const watching = (async () => {
    while (!ended) {
      const begun = performance.now()
      await (await running.request('/health')).text()
      waitMs = Math.max(waitMs, performance.now() - begun)
    }
  })()
  const begun = performance.now()
  const response = await running.request(target, init)
  await response.text()
  const ms = performance.now() - begun
  ended = true
  await watching
  if (!response.ok) throw new Error(`${target} answered ${response.status}`)
  return { ms, waitMs }
}

let turns = 0
async function turn(running: Running): Promise<number> {
  const n = turns++
  const message = { id: `q${n}`, role: 'user', parts: [{ type: 'text', text: 'hello' }] }
  const body = JSON.stringify({ sessionId: `bench-${n}`, message })
  return (await timed(running, '/ai/chat', { method: 'POST', body })).ms
}

async function measure(home: string, workspace: string) {
  const starts: number[] = []
  for (let i = 0; i < 5; i++) {
    const running = await start(home, workspace)
    starts.push(running.startMs)
    await running.stop()
  }
  const running = await start(home, workspace)
  try {
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const rss = running.rssMb()
    const turnMs: number[] = []
    for (let i = 0; i < 7; i++) turnMs.push(await turn(running))
    const searches = []
    for (let i = 0; i < 5; i++) searches.push(await timed(running, '/ai/sessions?q=the'))
    const data = await timed(running, '/ai/data')
    const doctor = await timed(running, '/ai/doctor')
    const backup = await timed(running, '/ai/data/backup', { method: 'POST' })
    return { start: median(starts), rss, turn: median(turnMs), searches, data, doctor, backup }
  } finally {
    await running.stop()
  }
}

export const benches = [
  {
    name: `home of ${sessions} chats and ${sessions * messagesEach} messages against an empty one`,
    bar: 'start, memory, turn at most 1.5x; common word 100 ms, data and doctor 1 s; others wait 100 ms at most',
    async run() {
      const folder = mkdtempSync(path.join(tmpdir(), 'troupe-scale-'))
      const workspace = path.join(folder, 'workspace')
      mkdirSync(workspace)
      try {
        const empty = await measure(path.join(folder, 'empty'), workspace)
        const home = path.join(folder, 'large')
        await makeLargeHome({ home, workspace, sessions, messagesEach })
        const large = await measure(home, workspace)
        const ratios = [large.start / empty.start, large.rss / empty.rss, large.turn / empty.turn]
        const search = median(large.searches.map(({ ms }) => ms))
        const wait = Math.max(
          ...[...large.searches, large.data, large.doctor, large.backup].map(({ waitMs }) => waitMs),
        )
        const [start = 0, rss = 0, turn = 0] = ratios
        return {
          value: `${times(start)}, ${times(rss)}, ${times(turn)}; ${ms(search)}, ${ms(large.data.ms)}, ${ms(large.doctor.ms)}; ${ms(wait)}`,
          ok:
            ratios.every((ratio) => ratio <= 1.5) &&
            search <= 100 &&
            large.data.ms <= 1000 &&
            large.doctor.ms <= 1000 &&
            wait <= 100,
          detail: `start ${ms(large.start)} against ${ms(empty.start)}, turn ${ms(large.turn)} against ${ms(empty.turn)}, backup ${ms(large.backup.ms)}; waits: search ${ms(Math.max(...large.searches.map(({ waitMs }) => waitMs)))}, data ${ms(large.data.waitMs)}, doctor ${ms(large.doctor.waitMs)}, backup ${ms(large.backup.waitMs)}`,
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  },
]

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}
