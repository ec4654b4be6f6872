import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { median, times } from './measure.ts'

const troupe = path.resolve(import.meta.dirname, '../packages/cli/bin/troupe')

/** Returns wall milliseconds and peak memory of a whole process. */
async function once(
  command: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ ms: number; peakMb: number }> {
  const report = path.join(env['TROUPE_HOME'] ?? tmpdir(), `peak-${process.pid}.txt`)
  const hook = `import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(${JSON.stringify(report)},String(process.resourceUsage().maxRSS)))`
  const begun = performance.now()
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` },
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    output += String(data)
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  const ms = performance.now() - begun
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}`)
  if (command === troupe && output.trim() === '') throw new Error('no answer')
  return { ms, peakMb: Number(readFileSync(report, 'utf8')) / 1024 }
}

export const benches = [
  {
    name: 'troupe -p hello (demo), whole process',
    bar: 'at most 12x node -e 0; peak memory at most 150 MB',
    async run() {
      const home = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
      const env = { TROUPE_HOME: home, TROUPE_MODEL: 'demo/tour' }
      try {
        const first = await once(troupe, ['-p', 'hello'], env)
        const bare: number[] = []
        const ours: number[] = []
        let peakMb = 0
        for (let i = 0; i < 9; i++) {
          bare.push((await once(process.execPath, ['-e', '0'], env)).ms)
          const run = await once(troupe, ['-p', 'hello'], env)
          ours.push(run.ms)
          peakMb = Math.max(peakMb, run.peakMb)
        }
        const ratio = median(ours) / median(bare)
        return {
          value: `${times(ratio)}, ${peakMb.toFixed(0)} MB`,
          ok: ratio <= 12 && peakMb <= 150,
          detail: `${median(ours).toFixed(0)} ms against ${median(bare).toFixed(0)} ms; on an empty home ${first.ms.toFixed(0)} ms`,
        }
      } finally {
        rmSync(home, { recursive: true, force: true })
      }
    },
  },
  {
    name: 'server idle memory',
    bar: 'at most 150 MB',
    async run() {
      const home = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
      const child = spawn(troupe, ['serve', '--port', '0', '--no-open', '--json'], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, TROUPE_HOME: home },
      })
      try {
        await ready(child)
        await new Promise((resolve) => setTimeout(resolve, 3000))
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        const mb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
        return { value: `${mb.toFixed(0)} MB`, ok: mb <= 150, detail: 'resident, 3 s after start' }
      } finally {
        child.kill('SIGTERM')
        await new Promise((resolve) => child.once('close', resolve))
        rmSync(home, { recursive: true, force: true })
      }
    },
  },
]

async function ready(child: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line.startsWith('{')) return
  }
  throw new Error('the server did not start')
}
