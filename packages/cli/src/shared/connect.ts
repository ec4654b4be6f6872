import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Call, createCall } from '@troupe/client'
import { NamedError } from '@troupe/protocol'
import { currentOwner, openHome, type Owner } from '@troupe/server/home'
import { type CommandContext, printNotice } from './command.ts'

/** A connection to the process that owns the home: another one over HTTP, or this one without a port. */
export interface Connection {
  /** Sends a request about `workspace` and returns the response, whatever its status. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Calls an endpoint with the types of the HTTP contract. Throws the server's error as a `NamedError`. */
  call: Call
  workspace: string
  /** The same connection for requests about another folder. */
  inFolder(folder: string): Connection
  problems: LoadProblemReporter
  close(): Promise<void>
}

/**
 * Connects to the owner of the home, or becomes the owner if there is none. While the owner is a program without a port
 * (another `troupe -p`), waits for it to end.
 */
export async function connect(
  context: CommandContext,
  /** `listen`: this process is long-lived, so others must be able to connect through it. */
  options: { workspace?: string; allowBypass?: boolean; listen?: boolean } = {},
): Promise<Connection> {
  const home = openHome({ env: context.env })
  for (const warning of home.warnings) printNotice(context, warning)
  const workspace = path.resolve(context.cwd, options.workspace ?? '.')
  const problems = createLoadProblemReporter(context)
  const start = Date.now()
  let told = false
  for (;;) {
    const owner = currentOwner(home)
    if (owner?.url) {
      const connection = await connectToOwner({ ...owner, url: owner.url }, home.token, { workspace, problems })
      if (connection !== undefined) return connection
    }
    const { allowBypass = false, listen = false } = options
    const found = await becomeOwner(context, { workspace, problems, allowBypass, listen })
    if ('fetch' in found) return found
    if (!told && Date.now() - start > 1000) {
      printNotice(
        context,
        `waiting for another Troupe in ${home.path}${found.pid === undefined ? '' : ` (pid ${found.pid})`}`,
      )
      told = true
    }
    await delay(50)
  }
}

/** Returns undefined if nothing answers, because the owner has just exited. */
async function connectToOwner(
  owner: Owner & { url: string },
  token: string,
  { workspace, problems }: { workspace: string; problems: LoadProblemReporter },
): Promise<Connection | undefined> {
  const send: Send = (target, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(owner.url + target, { ...init, headers })
  }
  let response: Response
  try {
    response = await send(inWorkspace(`/ai/workspace?path=${encodeURIComponent(workspace)}`, workspace))
  } catch {
    return undefined
  }
  const body = await readJson<{ workspace: { path: string } }>(response)
  if (body.workspace.path !== workspace) {
    throw new NamedError(
      'OtherWorkspace',
      `The running Troupe (${owner.url}, pid ${owner.pid}) uses ${body.workspace.path}, not ${workspace}. Stop it, use it with --workspace "${body.workspace.path}", or set another TROUPE_HOME.`,
    )
  }
  return bind(send, workspace, { problems, close: () => Promise.resolve() })
}

/** Returns the owner of the home if this process could not become it. */
async function becomeOwner(
  context: CommandContext,
  given: { workspace: string; problems: LoadProblemReporter; allowBypass: boolean; listen: boolean },
): Promise<Connection | { pid: number | undefined }> {
  const { startServer } = await import('@troupe/server')
  const { env } = context
  const { workspace, problems, allowBypass, listen } = given
  try {
    const settings = { env, workspace, listen, port: 0, allowBypass, log: problems.log, ...debugLogging(env) }
    const server = await startServer(settings)
    for (const warning of [...server.config.warnings(), ...server.ruleWarnings]) printNotice(context, warning)
    return bind(server.fetch, workspace, { problems, close: () => server.close() })
  } catch (error) {
    if (!(error instanceof NamedError && error.name === 'HomeOwned')) throw error
    return { pid: (error.data['owner'] as Owner | null)?.pid }
  }
}

type Send = (target: string, init?: RequestInit) => Promise<Response>

/** Requests name this folder. Without one, they are about the server's own. */
export function bind(
  send: Send,
  workspace: string | undefined,
  rest: Pick<Connection, 'problems' | 'close'>,
): Connection {
  const request: Connection['fetch'] = (target, init) =>
    send(workspace === undefined ? target : inWorkspace(target, workspace), init)
  const inFolder = (folder: string): Connection => bind(send, folder, rest)
  return { ...rest, fetch: request, call: callOver(request), workspace: workspace ?? '', inFolder }
}

function callOver(request: Connection['fetch']): Call {
  return createCall(async (method, target, { body, signal }) => {
    const json = body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await request(target, { method, signal, ...json })
    if (!response.ok) await readJson(response)
    return response
  })
}

function inWorkspace(target: string, workspace: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}workspace=${encodeURIComponent(workspace)}`
}

export function debugLogging(env: NodeJS.ProcessEnv): { logLevel?: 'debug' } {
  return env['TROUPE_DEBUG'] ? { logLevel: 'debug' } : {}
}

export async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new NamedError('BadAnswer', `The server answered ${response.status} without JSON.`, { cause: error })
  }
  if (response.ok) return body as T
  const {
    name = 'Error',
    message = `The server answered ${response.status}.`,
    data = {},
  } = (body as { error?: Partial<NamedError> }).error ?? {}
  throw new NamedError(name, name === 'SessionNotFound' ? sessionNotFoundText(data, message) : message, {
    status: response.status,
    data,
  })
}

function sessionNotFoundText({ sessionId }: Record<string, unknown>, otherwise: string): string {
  return typeof sessionId === 'string' ? `There is no chat "${sessionId}" in this folder.` : otherwise
}

export interface LoadProblem {
  path: string
  message: string
}

/** Reports files that failed to load, each once, however often it is reported. */
interface LoadProblemReporter {
  /** Processes the server's log: load problems become sentences, other lines pass unchanged. */
  log(line: string): void
  report(problem: LoadProblem): void
}

export function createLoadProblemReporter(context: Pick<CommandContext, 'stderr'>): LoadProblemReporter {
  const told = new Set<string>()
  const tellOnce = ({ path, message }: LoadProblem): void => {
    const text = `${path} was not loaded: ${message}${/[.!?]$/.test(message) ? '' : '.'}`
    if (told.has(text)) return
    told.add(text)
    printNotice(context, text)
  }
  return {
    log(line) {
      const problem = parseLoadProblem(line)
      if (problem === undefined) context.stderr.write(line)
      else tellOnce(problem)
    },
    report: tellOnce,
  }
}

const logPrefix = /^a (?:tool|hook) was not loaded: /

function parseLoadProblem(line: string): LoadProblem | undefined {
  if (!line.includes(' was not loaded: ')) return undefined
  const { path, message } = JSON.parse(line) as { path?: unknown; message?: unknown }
  if (typeof path !== 'string' || typeof message !== 'string' || !logPrefix.test(message)) return undefined
  return { path, message: message.replace(logPrefix, '') }
}
