import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isolatedStart } from '../isolation/isolated-start.ts'
import { endCommand } from '../process/processes.ts'
import { findProgram, queueStart, startProcess } from '../process/start-process.ts'
import type { Confined, Isolation } from '../tool/isolation.ts'
import { isDeeper } from '../tool/parse-call.ts'
import type { McpLimits } from './server-config.ts'

export interface StdioOptions {
  command: string
  args: readonly string[]
  /** Complete environment of the process. */
  env: Record<string, string>
  cwd: string
  limits: McpLimits
  /** Receives output that is not a message. */
  onText(text: string): void
  /** In team mode: the owner of the process, and whether it has the machine's network. */
  isolation?: { of: Isolation; network: boolean; roots: readonly string[] } | undefined
  /** Watches the process so that it is killed if ours dies. */
  warden?: { watch(pid: number): void; release(pid: number): void }
}

export interface ServerTransport extends Transport {
  /** Reason the connection ended, such as "ended with code 1". */
  reason(): string | undefined
}

/** Time a process gets to exit after its stdin closes. */
const graceMs = 500

/**
 * Exchanges JSON lines with a process. The process leads its own group, which is killed as a whole. Memory and time per
 * message are bounded.
 */
export function createStdioTransport(options: StdioOptions): ServerTransport {
  const { limits, onText } = options
  const guard = createMessageGuard(limits)
  let child: ChildProcessByStdio<Writable, Readable, Readable> | undefined
  let inside: Confined | undefined
  let why: string | undefined
  let closing: Promise<void> | undefined
  const pieces: Buffer[] = []
  let pending = 0

  const transport: ServerTransport = {
    reason: () => why,
    async start() {
      const { command, args, env, cwd, isolation } = options
      inside = await isolatedStart(isolation?.of, {
        argv: [isolation === undefined ? command : (findProgram(command, env) ?? command), ...args],
        cwd,
        env,
        confinement: 'workspace',
        roots: isolation?.roots ?? [],
        ...(isolation?.network === true && { network: 'machine' as const }),
      })
      const { file, args: given, ...place } = inside
      const spawned = () =>
        spawn(file, given, { env: place.env, cwd: place.cwd, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
      const started = await queueStart(() => startProcess('it', spawned)).catch((problem: unknown) => {
        const error = problem as NodeJS.ErrnoException
        why ??= error.code === 'ENOENT' ? notFound(command, cwd) : error.message.replace(/^it (.*)\.$/, '$1')
        void transport.close()
        throw new Error(why, { cause: error })
      })
      if (closing !== undefined) {
        await endCommand({ pid: started.pid as number })
        throw new Error('The connection is closed.')
      }
      child = started
      options.warden?.watch(started.pid as number)
      started.once('exit', (code, signal) => {
        if (closing !== undefined) return
        why ??= signal === null ? `exited with code ${code}` : `was stopped by ${signal}`
        // Drain remaining output, unless a child process holds the pipe open.
        const timer = setTimeout(() => void transport.close(), graceMs)
        started.once('close', () => {
          clearTimeout(timer)
          void transport.close()
        })
      })
      // The exit handler reports a process that stops reading.
      started.stdin.on('error', (error) => transport.onerror?.(error))
      started.stdout.on('data', take)
      started.stdout.on('error', (error) => transport.onerror?.(error))
      readThrottled(started.stderr, limits.errorBytes, onText)
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (child === undefined || closing !== undefined) return reject(new Error('The connection is closed.'))
        guard.outgoing(message)
        if (child.stdin.writableLength > limits.unreadBytes) {
          fail('does not read its input')
          return reject(new Error('The server does not read its input.'))
        }
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
      }),
    close() {
      closing ??= end()
      return closing
    },
  }
  return transport

  function take(data: Buffer): void {
    if (closing !== undefined) return
    let from = 0
    for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, from)) {
      pieces.push(data.subarray(from, at))
      from = at + 1
      if (!takeLine()) return
    }
    if (from === data.length) return
    pieces.push(data.subarray(from))
    pending += data.length - from
    if (pending > limits.messageBytes) fail(messageTooLong(limits.messageBytes))
  }

  /** Returns false once the connection has ended. */
  function takeLine(): boolean {
    const line = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    pieces.length = 0
    pending = 0
    if (line.length > limits.messageBytes) return fail(messageTooLong(limits.messageBytes))
    const text = line.toString('utf8').trim()
    if (text === '') return true
    if (text.startsWith('{') && isDeeper(text, limits.depth))
      return fail(`sent a message that is nested deeper than ${limits.depth} levels`)
    const message = parseMessage(text)
    const problem = message === undefined ? guard.noise() : guard.incoming(message)
    if (problem !== undefined) return fail(problem)
    if (message === undefined) onText(`${text.slice(0, 500)}\n`)
    else transport.onmessage?.(message)
    return closing === undefined
  }

  function fail(reason: string): false {
    why ??= reason
    void transport.close()
    return false
  }

  async function end(): Promise<void> {
    pieces.length = 0
    const { pid, stdin, stdout, stderr } = child ?? {}
    stdin?.end()
    stdout?.destroy()
    // Pending requests need not wait for the process to exit.
    transport.onclose?.()
    if (child === undefined || pid === undefined) return inside?.release()
    if (why === undefined) await exited(child, graceMs)
    try {
      await endCommand({ pid, mark: options.env['TROUPE_TASK'] })
    } catch (error) {
      onText(`${(error as Error).message}\n`)
    } finally {
      stderr?.destroy()
      inside?.release()
      options.warden?.release(pid)
    }
  }
}

function parseMessage(text: string): JSONRPCMessage | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as { jsonrpc?: unknown }
    return value.jsonrpc === '2.0' ? (value as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}

/** Reads a limited number of bytes per second, so a process that prints endlessly blocks itself. */
function readThrottled(stream: Readable, bytesPerSecond: number, onText: (text: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let read = 0
  let since = performance.now()
  stream.on('data', (data: Buffer) => {
    onText(decoder.write(data))
    read += data.length
    if (read < bytesPerSecond) return
    const rest = 1000 - (performance.now() - since)
    read = 0
    since = performance.now() + Math.max(0, rest)
    if (rest <= 0) return
    stream.pause()
    setTimeout(() => stream.resume(), rest).unref()
  })
  stream.on('error', () => undefined)
}

function exited(child: ChildProcessByStdio<Writable, Readable, Readable>, ms: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function notFound(command: string, cwd: string): string {
  return `could not be started: the program "${command}" is not on the PATH, or the folder "${cwd}" does not exist`
}

export function messageTooLong(bytes: number): string {
  return `sent a message larger than ${Math.round(bytes / 1024)} KiB`
}

interface MessageGuard {
  outgoing(message: JSONRPCMessage): void
  /** Returns the reason to disconnect once the server has sent too much. */
  incoming(message: JSONRPCMessage): string | undefined
  noise(): string | undefined
}

const windowMs = 10_000

export function createMessageGuard(limits: McpLimits): MessageGuard {
  const open = new Set<string | number>()
  const unasked = createCounter(limits.unasked)
  const noise = createCounter(limits.noise)
  return {
    outgoing(message) {
      if ('method' in message && 'id' in message) open.add(message.id)
    },
    incoming(message) {
      if (!('method' in message) && 'id' in message && message.id !== undefined && open.delete(message.id))
        return undefined
      return unasked() ? `sent more than ${limits.unasked} unexpected messages` : undefined
    },
    noise: () =>
      noise() ? `printed more than ${limits.noise} lines to standard output that are not messages` : undefined,
  }
}

/** Returns true once more than `most` events fall in the window. */
function createCounter(most: number): () => boolean {
  let since = 0
  let count = 0
  return () => {
    const now = performance.now()
    if (now - since > windowMs) {
      since = now
      count = 0
    }
    return ++count > most
  }
}
