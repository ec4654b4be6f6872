import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildPackages, published } from '../scripts/lib/build-packages.mjs'
import { type AgentOptions, createAgent } from '@troupe/agent'
import { z } from 'zod'
import { median, rounds } from './measure.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

type Model = AgentOptions['model']
type StreamPart = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never

const schema = z.object({
  summary: z.string(),
  items: z.array(z.object({ title: z.string(), score: z.number() })),
})
const answer = JSON.stringify({
  summary: 'short',
  items: [
    { title: 'one', score: 1 },
    { title: 'two', score: 0.5 },
  ],
})

const parts: StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  ...(answer.match(/.{1,8}/gs) ?? []).map((delta): StreamPart => ({
    type: 'text-delta',
    id: '0',
    delta,
  })),
  { type: 'text-end', id: '0' },
  {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    },
  },
]

const model: Model = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'fixed',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('not used')),
  doStream: () => Promise.resolve({ stream: ReadableStream.from(parts) }),
}

/** Returns CPU milliseconds per call, run sequentially. */
async function each(count: number, work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < count; i++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / count
}

async function modelAlone(): Promise<void> {
  const { stream } = await model.doStream({ prompt: [] })
  const reader = stream.getReader()
  while (!(await reader.read()).done) continue
}

export const benches = [
  {
    name: 'a turn with a schema, three awaited keys and a handler, beyond its model call',
    bar: 'at most 0.5 ms CPU',
    async run() {
      const agent = createAgent({ name: 'bench', model }).always({ role: 'clerk', rules: ['be brief'] })
      const turn = agent.turn().info({ style: 'plain' }).instruct('Do it.').output(schema)
      const whole = async (): Promise<void> => {
        const run = turn.input('q').run()
        run.when('items[*]', () => 1)
        await Promise.all([run.key('summary'), run.key('items[0].title'), run.key('items[1].score'), run.result()])
      }
      await each(300, whole)
      await each(300, modelAlone)
      const costs: number[] = []
      for (let i = 0; i < 7; i++) costs.push((await each(200, whole)) - (await each(200, modelAlone)))
      const value = median(costs)
      const alone = await rounds(3, () => each(200, modelAlone))
      return {
        value: `${value.toFixed(3)} ms`,
        ok: value <= 0.5,
        detail: `the model call alone ${alone.toFixed(3)} ms`,
      }
    },
  },
  {
    name: 'the packages as published: size, and CPU time to import @troupe/agent and @troupe/core',
    bar: 'at most 1.5 MB packed, 4x and 6x the import of zod',
    async run() {
      const project = mkdtempSync(path.join(tmpdir(), 'troupe-bench-pack-'))
      try {
        const { size, files } = await packInto(project)
        const times: [turn: number, all: number, zod: number][] = []
        for (let i = 0; i < 5; i++) {
          times.push([
            await importTime(project, '@troupe/agent'),
            await importTime(project, '@troupe/core'),
            await importTime(project, 'zod'),
          ])
        }
        const [turn, all, zod] = ([0, 1, 2] as const).map((which) => median(times.map((round) => round[which]))) as [
          number,
          number,
          number,
        ]
        const kilobytes = Math.round(size / 1000)
        return {
          value: `${kilobytes} kB, ${turn.toFixed(0)} ms, ${all.toFixed(0)} ms`,
          ok: size <= 1_500_000 && turn <= 4 * zod && all <= 6 * zod,
          detail: `${files} files; zod alone ${zod.toFixed(0)} ms`,
        }
      } finally {
        rmSync(project, { recursive: true, force: true })
      }
    },
  },
]

async function packInto(project: string): Promise<{ size: number; files: number }> {
  let [size, files] = [0, 0]
  await buildPackages(process.execPath)
  for (const name of published) {
    const folder = path.join(root, 'packages', name)
    const packed = path.join(project, 'node_modules', '@troupe', name)
    mkdirSync(packed, { recursive: true })
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', project], { cwd: folder })
    const tarball = path.join(project, `troupe-${name}-0.1.0.tgz`)
    await run('tar', ['-xzf', tarball, '-C', packed, '--strip-components=1'])
    size += statSync(tarball).size
    files += readdirSync(packed, { recursive: true }).length
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(
      readFileSync(path.join(folder, 'package.json'), 'utf8'),
    ) as { dependencies?: Record<string, string>; peerDependencies?: Record<string, string> }
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) {
      const link = path.join(project, 'node_modules', needed)
      if (needed.startsWith('@troupe/') || existsSync(link)) continue
      mkdirSync(path.dirname(link), { recursive: true })
      symlinkSync(path.join(root, 'node_modules', needed), link)
    }
  }
  writeFileSync(path.join(project, 'package.json'), '{"private": true, "type": "module"}')
  return { size, files }
}

/** Returns CPU milliseconds of an import in a separate process. */
async function importTime(project: string, name: string): Promise<number> {
  const program = `const before = process.cpuUsage(); await import('${name}'); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: project,
    env: { PATH: process.env['PATH'] },
  })
  return Number(stdout)
}
