import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { endCommand, queueStart, type Sandbox, startProcess } from '@troupe/core'

/** Limits of one connection. A server that exceeds them is ended. */
export interface RpcLimits {
  /** Parsing a larger message would block the event loop. */
  messageBytes: number
  /** Output before a message that is not a header. */
  headerBytes: number
  /** Input that the server has not read. */
  unreadBytes: number
  /** Output within ten seconds. */
  burstBytes: number
}

const outputMs = 500
const burstMs = 10_000

export const rpcLimits: RpcLimits = {
  messageBytes: 4 << 20,
  headerBytes: 16 << 10,
  unreadBytes: 16 << 20,
  burstBytes: 64 << 20,
}

export interface RpcOptions {
  command: string
  args: readonly string[]
  cwd: string
  /** Confines the process: it reads these folders, writes nowhere, and has no network. */
  confined?: { sandbox: Sandbox; roots: readonly string[] } | undefined
  /** Complete environment of the process. `TROUPE_TASK` marks its descendants. */
  env: Record<string, string>
  limits?: RpcLimits
  /** Answers a request of the server. */
  onRequest(method: string, params: unknown): unknown
  onNotification(method: string, params: unknown): void
  /** Called once, with the reason. */
  onEnd(reason: string): void
  /** Ends the process when aborted. */
  signal: AbortSignal
  warden: { watch(pid: number): void; release(pid: number): void }
}

export interface Rpc {
  pid: number
  /** Rejects after `ms`, when the signal aborts, or when the server ends. */
  request(method: string, params: unknown, call: { ms: number; signal?: AbortSignal | undefined }): Promise<unknown>
  notify(method: string, params: unknown): void
  /** Ends the process and its descendants. */
  close(): Promise<void>
}

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Starts a process that speaks JSON-RPC with `Content-Length` headers. Its memory and time are bounded. */
export async function openRpc(options: RpcOptions): Promise<Rpc> {
  const { command, args, cwd, env, limits = rpcLimits } = options
  type Child = ChildProcessByStdio<Writable, Readable, null>
  const inside = await options.confined?.sandbox.wrap({
    argv: [command, ...args],
    cwd,
    env,
    confinement: 'read-only',
    roots: options.confined.roots,
  })
  const child: Child = await queueStart(() =>
    startProcess(command, () =>
      spawn(inside?.file ?? command, inside?.args ?? args, {
        cwd: inside?.cwd ?? cwd,
        env: inside?.env ?? env,
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
      }),
    ),
  ).catch((error: unknown) => {
    inside?.release()
    throw error
  })
  const pid = child.pid as number
  const pending = new Map<number, Pending>()
  const read = createFrameReader(limits, onMessage)
  let burst = { since: performance.now(), bytes: 0 }
  let lastId = 0
  let ended: string | undefined
  let closing: Promise<void> | undefined
  options.warden.watch(pid)
  if (options.signal.aborted) void close()
  else options.signal.addEventListener('abort', () => void close(), { once: true })
  child.once('exit', (code, signal) => {
    const exited = (): void => end(signal === null ? `exited with code ${code}` : `was stopped by ${signal}`)
    // Its last output may still be unread, and says more. A process that it started can keep the output open.
    if (child.stdout.readableEnded) return exited()
    child.stdout.once('close', exited)
    setTimeout(exited, outputMs).unref()
  })
  child.stdin.on('error', () => undefined)
  child.stdout.on('error', () => undefined)
  child.stdout.on('data', (data: Buffer) => {
    if (ended !== undefined) return
    const now = performance.now()
    if (now - burst.since > burstMs) burst = { since: now, bytes: 0 }
    burst.bytes += data.length
    const problem = burst.bytes > limits.burstBytes ? 'printed too much' : read(data)
    if (problem !== undefined) end(problem)
  })
  return { pid, request, notify, close }

  function send(message: object): void {
    if (ended !== undefined) return
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    if (child.stdin.writableLength + body.length > limits.unreadBytes) return end('does not read its input')
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    child.stdin.write(body)
  }

  function notify(method: string, params: unknown): void {
    send({ method, params })
  }

  function request(
    method: string,
    params: unknown,
    { ms, signal }: { ms: number; signal?: AbortSignal | undefined },
  ): Promise<unknown> {
    if (ended !== undefined) return Promise.reject(new Error(`The language server ${ended}.`))
    const id = ++lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const cancel = (error: Error) => {
      if (!pending.has(id)) return
      notify('$/cancelRequest', { id })
      reject(error)
    }
    const onAbort = () => cancel(signal?.reason as Error)
    const timer = setTimeout(() => cancel(new Error(`The language server did not answer within ${ms / 1000} s.`)), ms)
    signal?.addEventListener('abort', onAbort, { once: true })
    pending.set(id, { resolve, reject })
    send({ id, method, params })
    return promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      pending.delete(id)
    })
  }

  function onMessage(message: RpcMessage): void {
    const { id, method } = message
    if (typeof method !== 'string') {
      const waiting = pending.get(id as number)
      if (message.error == null) waiting?.resolve(message.result)
      else waiting?.reject(new Error(`The language server answered: ${JSON.stringify(message.error.message)}`))
    } else if (id === undefined) options.onNotification(method, message.params)
    else send({ id, result: options.onRequest(method, message.params) ?? null })
  }

  function end(reason: string): void {
    if (ended !== undefined) return
    ended = reason
    for (const { reject } of pending.values()) reject(new Error(`The language server ${reason}.`))
    void close()
    options.onEnd(reason)
  }

  function close(): Promise<void> {
    ended ??= 'was stopped'
    closing ??= stop()
    return closing
  }

  async function stop(): Promise<void> {
    for (const { reject } of pending.values()) reject(new Error('The language server was stopped.'))
    child.stdin.destroy()
    child.stdout.destroy()
    try {
      await endCommand({ pid, mark: env['TROUPE_TASK'] })
    } finally {
      inside?.release()
      options.warden.release(pid)
    }
  }
}

interface RpcMessage {
  id?: unknown
  method?: unknown
  params?: unknown
  result?: unknown
  error?: { message?: unknown } | null
}

/** Returns a function that takes output and returns the reason to end the server, if there is one. */
export function createFrameReader(
  limits: RpcLimits,
  onMessage: (message: RpcMessage) => void,
): (data: Buffer) => string | undefined {
  let pieces: Buffer[] = []
  let held = 0
  /** Bytes needed to go on: a whole body, or any byte of a header. */
  let needed = 1
  let body: number | undefined

  return (data) => {
    pieces.push(data)
    held += data.length
    if (held < needed) return undefined
    let all = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    for (;;) {
      if (body === undefined) {
        const at = all.indexOf('\r\n\r\n')
        if (at > limits.headerBytes || (at === -1 && all.length > limits.headerBytes))
          return 'printed something else than messages'
        if (at === -1) break
        const length = /^Content-Length: *(\d{1,15}) *$/im.exec(all.toString('latin1', 0, at))?.[1]
        if (length === undefined) return 'printed something else than messages'
        body = Number(length)
        if (body > limits.messageBytes) return `sent a message larger than ${limits.messageBytes >> 10} KiB`
        all = all.subarray(at + 4)
      }
      if (all.length < body) break
      const message = parse(all.toString('utf8', 0, body))
      if (message === undefined) return 'sent a message that is not JSON'
      all = all.subarray(body)
      body = undefined
      try {
        onMessage(message)
      } catch {
        return 'sent an invalid message'
      }
    }
    pieces = all.length === 0 ? [] : [all]
    held = all.length
    needed = body ?? held + 1
    return undefined
  }
}

function parse(text: string): RpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
