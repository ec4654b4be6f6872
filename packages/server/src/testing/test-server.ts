import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { scriptedModel, type ScriptedModel, type ScriptTurn } from '@troupe/core/testing'
import { createFold, type Message, readEvents, type StoredMessage, type StreamEvent } from '@troupe/protocol'
import type { Server, ServerOptions } from '../boot/server.ts'
import { startServer } from '../boot/start-server.ts'
import { checkAnswer } from './check-answer.ts'

export interface TestServer extends Server {
  model: ScriptedModel
  /**
   * Sets the model's turns for a user message with exactly this text, one per step. By default the model echoes the
   * text.
   */
  script(text: string, turns: ScriptTurn[]): void
  lines: string[]
  homePath: string
  /** Sends a request with the token, over the socket if the server listens, else in process. */
  request(target: string, options?: RequestOptions): Promise<Response>
  json<T = Record<string, never>>(target: string, options?: RequestOptions): Promise<{ status: number; body: T }>
  chat(sessionId: string, message: string | object, more?: object): Promise<Chat>
  messages(sessionId: string): Promise<StoredMessage[]>
  /** Returns a digest of every table and file, except those cleaned up in the background. */
  written(): Record<string, string>
}

export interface RequestOptions {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

export interface Chat {
  status: number
  /** Error body of a non-stream response. */
  error: { name: string; message: string; data: Record<string, unknown> } | undefined
  events: StreamEvent[]
  types: string[]
  message: Message
}

export interface TestServerOptions extends Omit<ServerOptions, 'log'> {
  config?: object
  /** Source of the user's own tools besides TestApproval, by file name. */
  tools?: Record<string, string>
  testApproval?: false
}

/** Starts a server on a temporary home, isolated from this machine: no keys, no other servers, one scripted model. */
export async function testServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-http-'))
  const homePath = options.home ?? path.join(folder, 'home')
  const workspace = options.workspace ?? path.join(folder, 'workspace')
  const page = path.join(folder, 'page')
  for (const one of [homePath, workspace, page]) mkdirSync(one, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(page, 'index.html'), '<!doctype html><title>Troupe</title>')
  const { config, tools = {}, testApproval, ...rest } = options
  if (config !== undefined) writeFileSync(path.join(homePath, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const withApproval = testApproval === false ? tools : { 'test-approval': testApprovalSource, ...tools }
  for (const [name, source] of Object.entries(withApproval)) {
    mkdirSync(path.join(homePath, 'tools'), { recursive: true })
    writeFileSync(path.join(homePath, 'tools', `${name}.ts`), source)
  }
  const scripts = new Map<string, ScriptTurn[]>()
  const model = scriptedModel((prompt) => turnFor(prompt, scripts), { provider: 'test', modelId: 'script' })
  const lines: string[] = []
  const server = await startServer({
    listen: false,
    probe: false,
    titles: false,
    env: {},
    logLevel: 'debug',
    webFolder: page,
    onAnswer: checkAnswer,
    sandbox: { text: 'Tests confine nothing.' },
    managedConfig: path.join(folder, 'managed.json'),
    ...rest,
    home: homePath,
    workspace,
    log: (text) => void lines.push(text),
    models: { 'test/script': model, ...options.models },
  }).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true })
    throw error
  })

  const request: TestServer['request'] = (target, { method, body, headers, signal } = {}) => {
    const json = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
    const init: RequestInit = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: json ? JSON.stringify(body) : (body as string | Uint8Array<ArrayBuffer>) }),
      signal,
    }
    if (server.port === 0) return server.fetch(target, init)
    const authorized = { authorization: `Bearer ${server.token}`, ...(init.headers as Record<string, string>) }
    return fetch(`http://127.0.0.1:${server.port}${target}`, { ...init, headers: authorized })
  }

  return {
    ...server,
    model,
    script: (text, turns) => void scripts.set(text, turns),
    lines,
    homePath,
    request,
    async json(target, init) {
      const response = await request(target, init)
      const text = await response.text()
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as never }
    },
    async chat(sessionId, message, more = {}) {
      const sent = typeof message === 'string' ? userMessage(message) : message
      return readChat(await request('/ai/chat', { body: { sessionId, message: sent, ...more } }))
    },
    async messages(sessionId) {
      const response = await request(`/ai/sessions/${sessionId}/messages?limit=999`)
      return ((await response.json()) as { messages: StoredMessage[] }).messages
    },
    written: () => written(homePath),
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const testApprovalSource = `export { testApproval as default } from '${import.meta.resolve('@troupe/core/testing')}'`

let count = 0

export function userMessage(
  text: string,
  id = `u${++count}`,
): { id: string; role: 'user'; parts: { type: 'text'; text: string }[] } {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

/** Reads a stream to its end, or the error response. */
export async function readChat(response: Response): Promise<Chat> {
  const chat: Chat = {
    status: response.status,
    error: undefined,
    events: [],
    types: [],
    message: createFold().snapshot(),
  }
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') chat.error = (JSON.parse(text) as { error: Chat['error'] }).error
    return chat
  }
  const fold = createFold()
  for await (const event of readEvents(response.body as ReadableStream<Uint8Array>)) {
    chat.events.push(event)
    fold.push(event.chunk)
  }
  chat.types = chat.events.map(({ chunk }) => chunk.type)
  chat.message = fold.snapshot()
  return chat
}

export function shown({ id, role, parts, metadata }: StoredMessage): Message {
  return { id, role, parts, metadata }
}

function turnFor(prompt: LanguageModelV4Prompt, scripts: Map<string, ScriptTurn[]>): ScriptTurn {
  const from = prompt.findLastIndex(({ role }) => role === 'user')
  const { content } = prompt[from] as Extract<LanguageModelV4Prompt[number], { role: 'user' }>
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const steps = prompt.slice(from).filter(({ role }) => role === 'assistant').length
  const script = scripts.get(text)
  if (script === undefined) return [{ text: `You said: ${text}` }]
  return script[steps] ?? [{ text: 'Nothing more.' }]
}

function written(home: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    if (/^(troupe\.db|lock|owner\.json)/.test(name)) continue
    const file = path.join(home, name)
    found[name] = statSync(file).isFile() ? digest(readFileSync(file)) : 'a folder'
  }
  const database = new DatabaseSync(path.join(home, 'troupe.db'), { readOnly: true })
  const tables = database.prepare(
    "select name from sqlite_master where type = 'table' and name not like 'message_%' and name not in ('frame', 'export_state', 'export_dirty')",
  )
  for (const { name } of tables.all()) {
    const rows = database.prepare(`select * from "${String(name)}"`).all()
    found[`table ${String(name)}`] = `${rows.length} rows ${digest(JSON.stringify(rows))}`
  }
  database.close()
  return found
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
