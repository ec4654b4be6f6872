import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { cleanMessage, foldChunks, type Message, readEvents, type StreamEvent } from '@troupe/protocol'
import type { ServerOptions } from '../src/index.ts'
import { openModelServer } from './model-server.ts'

/** A home with the crash test tools, a workspace next to it, and a model that outlives every server. */
export interface CrashHome {
  home: string
  workspace: string
  start(): Promise<ServerProcess>
  close(): Promise<void>
}

export async function openHome(folder: string, config: Record<string, unknown> = {}): Promise<CrashHome> {
  const home = path.join(folder, 'home')
  const workspace = path.join(folder, 'workspace')
  mkdirSync(workspace)
  const models = await openModelServer()
  prepareHome(home, models.baseURL, config)
  const started: ServerProcess[] = []
  return {
    home,
    workspace,
    async start() {
      const server = await startOwner(home, workspace)
      started.push(server)
      return server
    },
    async close() {
      for (const server of started) await server.kill('SIGKILL')
      await models.close()
    },
  }
}

/** Creates a home with the crash test tools and a connection to the model. */
export function prepareHome(home: string, baseURL: string, config: Record<string, unknown> = {}): void {
  mkdirSync(path.join(home, 'tools'), { recursive: true, mode: 0o700 })
  const tools = path.join(import.meta.dirname, 'tools')
  for (const name of readdirSync(tools)) copyFileSync(path.join(tools, name), path.join(home, 'tools', name))
  const providers = { crash: { type: 'openai-compatible', baseURL, apiKey: 'none', models: ['model'] } }
  writeFileSync(path.join(home, 'config.json'), JSON.stringify({ model: 'crash/model', providers, ...config }))
}

export interface ServerProcess {
  pid: number
  port: number
  url: string
  token: string
  /** Time from the first line of the program to the open port. `wholeStartMs` includes the start of Node. */
  startMs: number
  wholeStartMs: number
  lines: string[]
  largestBacklog(): number
  request(path: string, init?: RequestInit): Promise<Response>
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  /** Stops the process as a debugger would, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  exited: Promise<number | null>
}

export interface StartError {
  error: { name: string; message: string; data?: { owner?: { url?: string | null; pid?: number } | null } }
}

interface StartOptions {
  execArgv?: string[]
  cluster?: ServerOptions['cluster']
  env?: Record<string, string>
}

export async function startProcess(
  home: string,
  workspace: string,
  options: StartOptions = {},
): Promise<ServerProcess | StartError> {
  const begun = performance.now()
  const child = spawn(
    process.execPath,
    [
      '--conditions=troupe-source',
      '--disable-warning=ExperimentalWarning',
      `--import=${path.join(import.meta.dirname, 'use-program.mjs')}`,
      ...(options.execArgv ?? []),
      path.join(import.meta.dirname, 'child.ts'),
      home,
      workspace,
      ...(options.cluster === undefined ? [] : [JSON.stringify(options.cluster)]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, NODE_ENV: 'test', VITEST: '', ...options.env } },
  )
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const lines: string[] = []
  let backlog = 0
  child.on('message', (message: { backlog: number }) => void (backlog = message.backlog))
  createInterface({ input: child.stderr as Readable }).on('line', (line) => lines.push(line))
  const first = await Promise.race([once(createInterface({ input: child.stdout as Readable }), 'line'), exited])
  if (!Array.isArray(first))
    throw new Error(`the server ended with ${first} before it said anything: ${lines.join('\n')}`)
  const said = JSON.parse(first[0] as string) as { port: number; token: string; startMs: number } | StartError
  if ('error' in said) {
    await exited
    return said
  }
  const url = `http://127.0.0.1:${said.port}`
  return {
    ...said,
    pid: child.pid as number,
    url,
    wholeStartMs: Math.round(performance.now() - begun),
    lines,
    largestBacklog: () => backlog,
    exited,
    request(target, init = {}) {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${said.token}`)
      if (init.body !== undefined) headers.set('content-type', 'application/json')
      return fetch(`${url}${target}`, { ...init, headers })
    },
    kill(signal) {
      child.kill(signal)
      return exited
    },
    signal: (name) => void child.kill(name),
  }
}

export async function startOwner(home: string, workspace: string, options: StartOptions = {}): Promise<ServerProcess> {
  const started = await startProcess(home, workspace, options)
  if ('error' in started) throw new Error(`${started.error.name}: ${started.error.message}`)
  return started
}

/** A client's view of one answer: the events it received over all its connections. */
export interface Reader {
  events: StreamEvent[]
  /** The event number to resume from. Undefined before the first event. */
  after(): number | undefined
  /** Drops all events after an index, like a client that stored only that many. */
  forgetAfter(index: number): void
  read(body: ReadableStream<Uint8Array>): Promise<void>
  finished(): boolean
  /** Folds the received events into a message, cleaned as the server cleans stored messages. */
  message(): Message
}

export function createReader(): Reader {
  const reader: Reader = {
    events: [],
    after: () => reader.events.at(-1)?.number,
    forgetAfter: (index) => void (reader.events.length = Math.min(reader.events.length, index + 1)),
    async read(body) {
      for await (const event of readEvents(body)) {
        // The server resends everything if a crash invalidated the client's event number.
        if (event.chunk.type === 'start' || (event.number ?? 0) <= (reader.after() ?? -1)) reader.events.length = 0
        reader.events.push(event)
      }
    },
    finished: () => reader.events.some(({ chunk }) => chunk.type === 'finish'),
    message: () => cleanMessage(foldChunks(reader.events.map(({ chunk }) => chunk)), { run: 'ended' }),
  }
  return reader
}
