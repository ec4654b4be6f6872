import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface ServerProcess {
  pid: number
  port: number
  url: string
  token: string
  /** From the first line of the program to the open port, and with the start of Node around it. */
  startMs: number
  wholeStartMs: number
  /** Lines of its log. */
  lines: string[]
  /** The most that was ever buffered for one client. */
  largestBacklog(): number
  request(path: string, init?: RequestInit): Promise<Response>
  /** Resolves when it is gone. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  exited: Promise<number | null>
}

export interface StartError {
  error: { name: string; message: string; data?: { owner?: { url?: string | null; pid?: number } | null } }
}

export async function startProcess(
  home: string,
  workspace: string,
  options: { execArgv?: string[] } = {},
): Promise<ServerProcess | StartError> {
  const begun = performance.now()
  const child = spawn(
    process.execPath,
    [
      '--conditions=troupe-source',
      '--disable-warning=ExperimentalWarning',
      ...(options.execArgv ?? []),
      path.join(import.meta.dirname, 'child.ts'),
      home,
      workspace,
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, NODE_ENV: 'test', VITEST: '' } },
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
  }
}

export async function startOwner(
  home: string,
  workspace: string,
  options: { execArgv?: string[] } = {},
): Promise<ServerProcess> {
  const started = await startProcess(home, workspace, options)
  if ('error' in started) throw new Error(`${started.error.name}: ${started.error.message}`)
  return started
}
