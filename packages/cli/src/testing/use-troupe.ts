import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Server, startServer } from '@troupe/server'
import { afterEach, beforeEach, vi } from 'vitest'
import { runTroupe } from '../run-troupe.ts'
import type { CommandContext } from '../shared/command.ts'

/** A folder with `home` and `work`, new for each test, and the environment for `troupe`. */
export interface Place {
  folder: string
  env: NodeJS.ProcessEnv
  /** Called after the test, before the folder is removed. */
  ends: (() => Promise<unknown>)[]
}

/** Gives every test of a file its own place, and stops everything it started there. */
export function useTroupe(): Place {
  const place: Place = { folder: '', env: {}, ends: [] }
  beforeEach(() => {
    place.folder = mkdtempSync(path.join(tmpdir(), 'troupe cli '))
    mkdirSync(path.join(place.folder, 'work'))
    const home = path.join(place.folder, 'home')
    const { PATH } = process.env
    place.env = { PATH, HOME: place.folder, TROUPE_HOME: home, CI: '1' }
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
  const program = fileURLToPath(new URL('../../bin/start.mjs', import.meta.url))
  const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, program, ...args], {
    cwd,
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  place.ends.push(() => end(child))
  return child
}

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Returns output and exit code of `troupe`, without starting a process. */
export async function troupe(
  place: Place,
  args: string[],
  { input = '', cwd = path.join(place.folder, 'work') }: { input?: string; cwd?: string } = {},
): Promise<Ended> {
  const { stdout, stderr, code } = startHere(place, args, { input, cwd })
  const [out, err] = await Promise.all([text(stdout), text(stderr)])
  return { code: await code, stdout: out, stderr: err }
}

export function startHere(
  place: Place,
  args: string[],
  { input = '', cwd = path.join(place.folder, 'work') }: { input?: string; cwd?: string } = {},
): { stdout: PassThrough; stderr: PassThrough; code: Promise<number>; stop(): void } {
  const file = path.join(place.folder, 'stdin')
  writeFileSync(file, input)
  const stdin = createReadStream(file, { fd: openSync(file, 'r') })
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const listeners = new Set<(signal: 'SIGINT' | 'SIGTERM') => void>()
  // The rest of the program reads these from the process.
  vi.stubEnv('HOME', place.env['HOME'])
  vi.stubEnv('TROUPE_DEMO_SPEED', place.env['TROUPE_DEMO_SPEED'] ?? 'instant')
  const context = {
    env: { ...place.env },
    cwd,
    stdin,
    stdout,
    stderr,
    onSignal(callback: (signal: 'SIGINT' | 'SIGTERM') => void) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
  }
  const code = runTroupe(args, context as unknown as CommandContext).finally(() => {
    for (const stream of [stdout, stderr]) stream.end()
    stdin.destroy()
  })
  return { stdout, stderr, code, stop: () => listeners.forEach((callback) => callback('SIGTERM')) }
}

export async function troupeProcess(place: Place, args: string[], { input = '' } = {}): Promise<Ended> {
  const child = start(place, args)
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

/** Starts a server in this process on the place's home, for tests that need no separate process. */
export async function serveHere(place: Place): Promise<Server> {
  const workspace = path.join(place.folder, 'work')
  const server = await startServer({ env: place.env, workspace, port: 0, probe: false, log: () => undefined })
  place.ends.push(() => server.close())
  return server
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
