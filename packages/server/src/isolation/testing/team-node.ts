import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import {
  type AgentState,
  checkedAddresses,
  createAgentState,
  createHooks,
  createTransport,
  disposeAgentState,
  findBash,
  getBuiltinTools,
  type HookOccasion,
  openUndoFolder,
  resolvePath,
  type ResourceLimits,
  type Tool,
  type ToolContext,
} from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import type { CheckHost } from '../../browser/guard-proxy.ts'
import { openGit } from '../../git/run-git.ts'
import { openRpc } from '../../lsp/json-rpc.ts'
import { openQueries } from '../../query/open-queries.ts'
import { startPersonTerminal } from '../../terminals/person-terminal.ts'
import { openIsolation } from '../open-isolation.ts'
import { swapBetween } from './swap-between.ts'

/**
 * A node of a team, for tests: Alice and Bob with a folder each and one that they share. It runs in a process of its
 * own, because the server needs its own mount namespace. The parent sends one request at a time per id.
 */
export type NodeRequest =
  | { kind: 'tool'; person: string; folder: string; tool: string; input: unknown; confinement?: 'none' | 'workspace' }
  | { kind: 'swap'; how: 'read' | 'write' }
  | { kind: 'program'; program: 'git' | 'hook' | 'mcp' | 'language server'; folder: string; script: string }
  | { kind: 'terminal'; person: string; folder: string; text: string; until: string }
  | { kind: 'close' }

export interface NodeAnswer {
  id: number
  text: string
  failed: boolean
  ms: number
}

export interface NodeFacts {
  text: string
  home: string
  port: number
  /** Port that commands may reach through the proxy. */
  publicPort: number
  serverPid: number
  /** Output folder of Bob's chat. */
  output: string
}

const base = process.argv[2] as string
const limits = JSON.parse(process.argv[3] ?? '{}') as Partial<ResourceLimits>
const home = path.join(base, 'home')
/** One port of this machine is allowed, as a stand-in for a public address. */
const allowed = createHttpServer((_, response) => response.end('from-the-internet')).listen(0, '127.0.0.1')
await new Promise((resolve) => allowed.once('listening', resolve))
const publicPort = (allowed.address() as AddressInfo).port
const checkHost: CheckHost = (host, port) =>
  checkedAddresses(host, { allowed: port === publicPort ? ['127.0.0.1'] : [] })
const isolation = await openIsolation({ home, env: process.env, settings: { limits }, checkHost })
if (isolation === undefined) throw new Error('There is no isolation.')
const queries = openQueries({ connections: () => ({}), home })
const states = new Map<string, Promise<AgentState>>()
const tools = new Map<string, Tool>(getBuiltinTools().map((tool) => [tool.name, tool]))
const undo = openUndoFolder(path.join(home, 'undo'), { modes: 0o777 })
let calls = 0

// The database of the node and the secrets of its environment.
const database = createServer((socket) => socket.end('canary-of-the-database')).listen(0, '127.0.0.1')
await new Promise((resolve) => database.once('listening', resolve))
writeFileSync(path.join(home, 'token'), 'canary-of-the-token', { mode: 0o600 })
mkdirSync(path.join(home, 'blobs'), { recursive: true, mode: 0o700 })
writeFileSync(path.join(home, 'blobs', 'f'.repeat(64)), 'canary-of-a-blob', { mode: 0o600 })

function stateOf(person: string, folder: string): Promise<AgentState> {
  const key = `${person} ${folder}`
  const made = states.get(key) ?? open(person, folder)
  states.set(key, made)
  return made
}

async function open(person: string, folder: string): Promise<AgentState> {
  const workspace = path.join(base, folder)
  await isolation!.admit(workspace)
  const outputFolder = path.join(home, 'sessions', `chat-of-${person}-${folder}`, 'output')
  return createAgentState({ workspace, outputFolder, undo, isolation: isolation!.of(person, workspace) })
}

async function contextOf(person: string, folder: string, confinement: 'none' | 'workspace'): Promise<ToolContext> {
  const state = await stateOf(person, folder)
  return testToolContext({
    state,
    queries,
    session: { id: `chat-of-${person}` },
    workspace: { id: folder, path: path.join(base, folder) },
    toolCallId: `call-${++calls}`,
    // As if the person had approved everything.
    granted: {
      confinement,
      grants: [
        { how: 'write', path: '/' },
        { how: 'read', path: base },
      ],
    },
  })
}

async function runTool({ person, folder, tool, input, confinement = 'workspace' }: NodeRequest & { kind: 'tool' }) {
  const found = tools.get(tool)
  if (found === undefined) throw new Error(`There is no tool ${tool}.`)
  const ctx = await contextOf(person, folder, confinement)
  const parsed = found.input.parse(input) as unknown
  const problem = await found.validate?.(parsed, ctx)
  if (typeof problem === 'string') throw new Error(problem)
  let output: unknown = found.execute(parsed, ctx)
  if (typeof (output as AsyncGenerator)[Symbol.asyncIterator] === 'function') {
    const steps = output as AsyncGenerator<unknown, unknown, void>
    let step = await steps.next()
    while (step.done !== true) step = await steps.next()
    output = step.value
  }
  const settled: unknown = await output
  return `${found.toModel?.(settled, parsed) ?? ''}\n${JSON.stringify(settled)}`
}

/** A member replaces a folder by a symlink after the check of a path and before its use. */
async function swap(how: 'read' | 'write'): Promise<string> {
  const ctx = await contextOf('alice', 'alice', 'workspace')
  return swapBetween(path.join(base, 'alice'), path.join(base, 'bob'), (place) => {
    if (how === 'write') {
      const { path: real } = resolvePath(ctx, path.join(place, 'planted'), { for: 'write' })
      return { use: () => writeFileSync(real, 'planted'), seen: () => '' }
    }
    const { path: real } = resolvePath(ctx, path.join(place, 'secret'), { for: 'read' })
    let seen = ''
    return {
      use: () => (seen = readFileSync(real, 'utf8')),
      seen: () => seen,
    }
  })
}

async function typeInTerminal({ person, folder, text, until }: NodeRequest & { kind: 'terminal' }): Promise<string> {
  const root = path.join(base, folder)
  await isolation!.admit(root)
  const terminal = await startPersonTerminal({
    workspaceId: folder,
    root,
    folder: root,
    env: process.env,
    columns: 200,
    rows: 50,
    number: 1,
    ownerId: person,
    isolation: isolation!.of(person, root),
  })
  const { history, listeners } = terminal
  let place = { position: 0, alternate: false }
  let printed = ''
  const done = new Promise<void>((resolve) => {
    listeners.add(() => {
      for (let more = history.read(place); more !== undefined; more = history.read(place)) {
        printed += more.text
        place = more
      }
      if (printed.includes(until)) resolve()
    })
  })
  terminal.write(`${text}\n`)
  await Promise.race([done, terminal.ended])
  await terminal.end()
  return printed
}

/** Runs a script as a program that serves the folder. Returns what it printed. */
async function runProgram({ program, folder, script }: NodeRequest & { kind: 'program' }): Promise<string> {
  const root = path.join(base, folder)
  await isolation!.admit(root)
  const owner = isolation!.ofFolder(root)
  if (program === 'git') {
    const place = { root, gitDir: path.join(root, '.git'), trusted: true }
    const git = openGit(process.env, () => owner)
    const args = ['-c', `alias.x=!${script}`, 'x']
    return (await git!(place, { args })).stdout.toString()
  }
  if (program === 'hook') {
    const [hook] = createHooks(
      { 'before-call': [{ command: `{ ${script}; } >&2; exit 2` }] },
      { source: 'test', base: root, home, isolation: () => owner },
    )
    const occasion = { event: 'before-call', workspace: root } as HookOccasion
    return JSON.stringify(await hook!.run(occasion, new AbortController().signal))
  }
  if (program === 'mcp') {
    const text = Promise.withResolvers<string>()
    let printed = ''
    const transport = await createTransport(
      { type: 'stdio', command: 'bash', args: ['-c', `{ ${script}; } >&2; echo over >&2; read`], env: {} },
      {
        folder: root,
        isolation: { of: owner, network: false, roots: [root] },
        onText: (more) => (printed += more).includes('over') && text.resolve(printed),
      },
    )
    await transport.start()
    await text.promise
    await transport.close()
    return printed
  }
  const told = Promise.withResolvers<string>()
  const body = String.raw`{"jsonrpc":"2.0","method":"x","params":"$text"}`.replaceAll('"', String.raw`\"`)
  const rpc = await openRpc({
    command: findBash(),
    args: [
      '-c',
      `text=$({ ${script}; } 2>&1 | base64 -w 0); body="${body}"; printf 'Content-Length: %d\\r\\n\\r\\n%s' "\${#body}" "$body"; sleep 60`,
    ],
    cwd: root,
    confined: { sandbox: owner.sandbox, roots: [root] },
    env: { PATH: '/usr/bin:/bin' },
    onRequest: () => undefined,
    onNotification: (_, params) => told.resolve(Buffer.from(String(params), 'base64').toString()),
    onEnd: told.resolve,
    signal: new AbortController().signal,
    warden: { watch: () => undefined, release: () => undefined },
  })
  const printed = await told.promise
  await rpc.close()
  return printed
}

async function answer(request: NodeRequest): Promise<string> {
  if (request.kind === 'tool') return runTool(request)
  if (request.kind === 'program') return runProgram(request)
  if (request.kind === 'swap') return swap(request.how)
  if (request.kind === 'terminal') return typeInTerminal(request)
  await Promise.all([...states.values()].map(async (state) => disposeAgentState(await state)))
  queries.close()
  database.close()
  allowed.close()
  isolation!.close()
  return ''
}

process.on('message', ({ id, ...request }: NodeRequest & { id: number }) => {
  const begun = performance.now()
  const send = (text: string, failed: boolean): void =>
    void process.send?.({ id, text, failed, ms: performance.now() - begun } satisfies NodeAnswer)
  answer(request).then(
    (text) => {
      send(text, false)
      if (request.kind === 'close') process.disconnect()
    },
    (error: unknown) => send(String((error as Error).message), true),
  )
})
process.send?.({
  text: isolation.text,
  home,
  port: (database.address() as AddressInfo).port,
  publicPort,
  serverPid: process.pid,
  output: (await stateOf('bob', 'bob')).outputFolder,
} satisfies NodeFacts)
