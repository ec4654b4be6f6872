import { createHash, randomUUID } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  joinPath,
  joinRenewMs,
  joinSubprotocol,
  NamedError,
  type NodeMessage,
  type ServerMessage,
  serverMessageSchema,
} from '@troupe/protocol'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { SandboxFinding } from '@troupe/core'
import type { Logger } from '../util/logger.ts'
import { type NodeRuntime, openNodeRuntime } from './node-runtime.ts'

export interface JoinTeamOptions {
  /** Origin of the server. */
  origin: string
  /** The person's token there. */
  token: string
  name: string
  folders: readonly string[]
  home: string
  env: NodeJS.ProcessEnv
  logger: Logger
  signal: AbortSignal
  onState(state: JoinState): void
  /** Default: detected. */
  sandbox?: SandboxFinding
}

export type JoinState =
  | { state: 'ready'; sandbox: SandboxFinding }
  | { state: 'connected'; folders: readonly { path: string; workspaceId: string }[] }
  | { state: 'disconnected'; reason: string }

const firstPauseMs = 500
const maxPauseMs = 15_000
/** The server pings more often. */
const silenceMs = 45_000
const mostBytes = 64 << 20

/**
 * Serves folders of this computer to a team's server until the signal is aborted. Connects again after interruptions.
 * Throws `BadFolder`, and `NotAllowed` if the server refuses for good.
 */
export async function joinTeam(options: JoinTeamOptions): Promise<void> {
  const { origin, signal, home, env, logger, onState } = options
  const folders = options.folders.map((folder) => checkedFolder(folder, home))
  const runtime = await openNodeRuntime({
    home,
    env,
    logger,
    folders,
    stateFolder: path.join(home, 'joined', createHash('sha256').update(origin).digest('hex').slice(0, 16)),
    sandbox: options.sandbox,
  })
  onState({ state: 'ready', sandbox: runtime.sandbox })
  const instance = randomUUID()
  try {
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      const since = performance.now()
      const reason = await connect({ ...options, folders }, instance, runtime)
      if (signal.aborted) return
      onState({ state: 'disconnected', reason })
      if (performance.now() - since > maxPauseMs) pauseMs = firstPauseMs
      await delay(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(2 * pauseMs, maxPauseMs)
    }
  } finally {
    await runtime.close()
  }
}

/** Resolves with the reason that the connection ended or could not begin. */
async function connect(options: JoinTeamOptions, instance: string, runtime: NodeRuntime): Promise<string> {
  const { origin, name, folders, signal, onState } = options
  const ticket = await newTicket(options)
  if (typeof ticket !== 'string') return ticket.reason
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${joinPath}`, [joinSubprotocol, ticket], {
    maxPayload: mostBytes,
    perMessageDeflate: false,
  })
  const calls = new Map<number, AbortController>()
  const send = (message: NodeMessage): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }
  const stop = (): void => socket.close(1000)
  signal.addEventListener('abort', stop, { once: true })
  let silence = setTimeout(() => socket.terminate(), silenceMs)
  const renewing = setInterval(() => void renew().catch(() => socket.terminate()), joinRenewMs)
  socket.on('ping', () => {
    clearTimeout(silence)
    silence = setTimeout(() => socket.terminate(), silenceMs)
  })
  socket.on('open', () =>
    send({ type: 'hello', name, instance, system: `${os.type()} ${os.arch()}`, folders: [...folders] }),
  )
  socket.on('message', (data) => {
    const message = readMessage(String(data as Buffer))
    if (message === undefined) return socket.close(1008, 'bad message')
    handle(message)
  })
  socket.on('error', (error) => end(error.message))
  socket.on('close', (code, reason) => {
    // Nobody gets their results, so they must not go on.
    for (const call of calls.values()) call.abort(new Error('The connection to the server was lost.'))
    end(String(reason) || `the connection ended (${code})`)
    if (code === 4403) end('refused')
  })
  try {
    const reason = await ended
    if (reason === 'you may not join') throw notAllowed()
    return reason
  } finally {
    clearTimeout(silence)
    clearInterval(renewing)
    signal.removeEventListener('abort', stop)
    socket.terminate()
  }

  async function renew(): Promise<void> {
    const next = await newTicket(options)
    if (typeof next === 'string') send({ type: 'renew', ticket: next })
  }

  function handle(message: ServerMessage): void {
    if (message.type === 'welcome') return onState({ state: 'connected', folders: message.folders })
    if (message.type === 'drop') return void runtime.drop(message.sessionId, message.agentId).catch(() => undefined)
    if (message.type === 'abort') return calls.get(message.id)?.abort(new Error('The tool call was stopped.'))
    const { id, call } = message
    const controller = new AbortController()
    calls.set(id, controller)
    runtime
      .handle(call, controller.signal, (report) => send({ ...report, id }))
      .then(
        (result) => send({ type: 'result', id, ...result }),
        (error: unknown) => send({ type: 'error', id, ...describe(error) }),
      )
      .catch((error: unknown) => send({ type: 'error', id, message: `The result cannot be sent: ${String(error)}` }))
      .finally(() => calls.delete(id))
  }
}

function describe(error: unknown): { message: string; code?: string } {
  const code = (error as { data?: { errorCode?: unknown } | null } | null)?.data?.errorCode
  return {
    message: error instanceof Error ? error.message || error.name : String(error),
    ...(typeof code === 'string' && { code }),
  }
}

/** Throws `NotAllowed` if asking again is useless. */
async function newTicket({ origin, token, signal }: JoinTeamOptions): Promise<string | { reason: string }> {
  let response: Response
  try {
    const headers = { authorization: `Bearer ${token}` }
    response = await fetch(`${origin}/ai/join/ticket`, { method: 'POST', headers, signal })
  } catch (error) {
    return { reason: `the server does not answer (${(error as Error).message})` }
  }
  if (response.status === 401 || response.status === 403) throw notAllowed()
  if (response.status === 404)
    throw new NamedError('NotAllowed', 'This server does not serve a team, so no computer can join it.')
  const body = z.object({ ticket: z.string() }).safeParse(await response.json().catch(() => undefined))
  return body.success ? body.data.ticket : { reason: `the server answered with status ${response.status}` }
}

function notAllowed(): NamedError {
  return new NamedError(
    'NotAllowed',
    'The server refused this computer. Sign in again with "troupe login", as a person who may write.',
  )
}

function checkedFolder(folder: string, home: string): string {
  const refuse = (why: string): never => {
    throw new NamedError('BadFolder', `"${folder}" cannot be shared: ${why}.`)
  }
  let real = ''
  try {
    real = realpathSync(folder)
    if (!statSync(real).isDirectory()) refuse('it is not a folder')
  } catch (error) {
    if (error instanceof NamedError) throw error
    refuse('it does not exist')
  }
  const around = `${real.replace(/\/$/, '')}${path.sep}`
  if (path.dirname(real) === real || `${home}${path.sep}`.startsWith(around) || real.startsWith(`${home}${path.sep}`))
    refuse('it contains Troupe’s own files')
  return real
}

function readMessage(text: string): ServerMessage | undefined {
  try {
    return serverMessageSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
