import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'

/** A folder with `home` and `work` in it, new for each test, and the environment that `troupe` gets. */
export interface Place {
  folder: string
  env: NodeJS.ProcessEnv
  /** Called after the test, before the folder goes. */
  ends: (() => Promise<unknown>)[]
}

/** Gives every test of a file a place of its own, and ends what it started there. */
export function useTroupe(): Place {
  const place: Place = { folder: '', env: {}, ends: [] }
  beforeEach(() => {
    place.folder = mkdtempSync(path.join(tmpdir(), 'troupe cli '))
    mkdirSync(path.join(place.folder, 'work'))
    const home = path.join(place.folder, 'home')
    const { PATH, NODE_COMPILE_CACHE } = process.env
    place.env = { PATH, NODE_COMPILE_CACHE, HOME: place.folder, TROUPE_HOME: home, CI: '1' }
  })
  afterEach(async () => {
    for (const stop of place.ends.splice(0)) await stop()
    rmSync(place.folder, { recursive: true, force: true })
  })
  return place
}

export function start(
  place: Place,
  args: string[],
  cwd = path.join(place.folder, 'work'),
): ChildProcessWithoutNullStreams {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, main, ...args], {
    cwd,
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  place.ends.push(() => end(child))
  return child
}

export async function troupe(
  place: Place,
  args: string[],
  { input = '', cwd }: { input?: string; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(place, args, cwd)
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode(child)])
  return { code, stdout, stderr }
}

export interface Served {
  child: ChildProcessWithoutNullStreams
  at: { url: string; port: number; pid: number; workspace: string }
}

export async function serve(place: Place): Promise<Served> {
  const child = start(place, ['serve', '--json', '--port', '0'])
  child.stderr.pipe(process.stderr)
  return { child, at: JSON.parse(await firstLine(child.stdout)) as Served['at'] }
}

export async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stream })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(lines, 'close').then(() => ['nothing was printed']),
  ])) as [string]
  return line
}

type AnyChild = Pick<ChildProcess, 'exitCode' | 'signalCode' | 'kill'> & NodeJS.EventEmitter

export async function exitCode(child: AnyChild): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

export async function end(child: AnyChild): Promise<void> {
  child.kill('SIGKILL')
  await exitCode(child)
}
