import type {
  CallToolResult,
  Client,
  GetPromptResult,
  Tool as ListedTool,
  Prompt,
  ReadResourceResult,
  Resource,
} from '@modelcontextprotocol/client'
import { type ActiveMcpCall, type McpCallContext, openActiveCalls } from './active-calls.ts'
import type { McpLimits } from './server-config.ts'
import { answerElicitation, answerSampling, askToOpenUrl } from './server-requests.ts'
import type { ServerTransport } from './stdio-transport.ts'

/** Connected server. All requests have a time limit. Errors name the server and what it did. */
export interface McpConnection {
  readonly title: string
  readonly instructions: string | undefined
  readonly has: { resources: boolean; prompts: boolean }
  listTools(): Promise<ListedTool[]>
  callTool(name: string, input: Record<string, unknown>, ctx: McpCallContext): Promise<CallToolResult>
  listResources(): Promise<Resource[]>
  readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>
  listPrompts(): Promise<Prompt[]>
  getPrompt(name: string, input: Record<string, string>): Promise<GetPromptResult>
  /** Resolves with the reason when the connection ends. */
  readonly closed: Promise<string>
  close(): Promise<void>
}

export interface ConnectionOptions {
  name: string
  limits: McpLimits
  /** Opens a transport. Called again if the server requires another protocol version. */
  transport(): Promise<ServerTransport>
  onToolsChanged(): void
  onOthersChanged(): void
  onText(text: string): void
}

/** Throws an Error that says what the server did, or what is wrong with it. */
export async function openConnection(options: ConnectionOptions): Promise<McpConnection> {
  try {
    return await open(options, 'legacy')
  } catch (error) {
    const { ProtocolError } = await import('@modelcontextprotocol/client')
    // The server answers but rejects the legacy handshake. Newer protocol versions start differently.
    if (!((error as Error).cause instanceof ProtocolError)) throw error
    return open(options, 'auto')
  }
}

const maxVisits = 5
const listRefresh = { autoRefresh: false, debounceMs: 500 }

async function open(options: ConnectionOptions, mode: 'legacy' | 'auto'): Promise<McpConnection> {
  const { name, limits } = options
  const { Client: SdkClient, specTypeSchemas } = await import('@modelcontextprotocol/client')
  const transport = await options.transport()
  const calls = openActiveCalls()
  const closed = Promise.withResolvers<string>()
  const client: Client = new SdkClient(
    { name: 'troupe', version: '0.1.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, sampling: {} },
      versionNegotiation: { mode },
      // Never compile a server's schemas. A hostile regex could stall the process.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      listChanged: {
        tools: { ...listRefresh, onChanged: () => options.onToolsChanged() },
        prompts: { ...listRefresh, onChanged: () => options.onOthersChanged() },
        resources: { ...listRefresh, onChanged: () => options.onOthersChanged() },
      },
    },
  )
  client.onerror = (error) => options.onText(`${error.message.slice(0, 500)}\n`)
  client.onclose = () => closed.resolve(transport.reason() ?? 'closed the connection')
  client.setRequestHandler('elicitation/create', ({ params }) =>
    answerElicitation(name, params, calls.only('elicitation')),
  )
  client.setRequestHandler('sampling/createMessage', ({ params }) =>
    answerSampling(name, params, calls.only('sampling')),
  )
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, data } = params
    options.onText(`[${level}] ${(typeof data === 'string' ? data : (JSON.stringify(data) ?? '')).slice(0, 2000)}\n`)
  })
  try {
    await client.connect(transport, { timeout: limits.connectMs })
  } catch (error) {
    const told = described(error, `within ${limits.connectMs / 1000} s of starting`)
    await close()
    throw told
  }
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {}
  const info = client.getServerVersion()
  const within = { timeout: limits.connectMs }

  const send: Client['callTool'] =
    client.getProtocolEra() === 'modern'
      ? (params, given) => client.callTool(params, given)
      : // Same request, but skips an SDK cache that is never filled here.
        (params, given) => client.request({ method: 'tools/call', params }, specTypeSchemas.CallToolResult, given)

  return {
    title: info?.title ?? info?.name ?? name,
    instructions: client.getInstructions(),
    has: { resources: resources !== undefined, prompts: prompts !== undefined },
    closed: closed.promise,
    close,
    listTools: () =>
      tools === undefined
        ? Promise.resolve([])
        : everyPage((params) => client.request({ method: 'tools/list', params }, within), 'tools'),
    listResources: () =>
      resources === undefined
        ? Promise.resolve([])
        : everyPage((params) => client.request({ method: 'resources/list', params }, within), 'resources'),
    listPrompts: () =>
      prompts === undefined
        ? Promise.resolve([])
        : everyPage((params) => client.request({ method: 'prompts/list', params }, within), 'prompts'),
    readResource: (uri, signal) =>
      client
        .readResource({ uri }, { timeout: limits.callMs, signal, cacheMode: 'bypass' })
        .catch((error: unknown) => fail(error, `within ${limits.callMs / 1000} s`)),
    getPrompt: (prompt, input) =>
      client
        .getPrompt({ name: prompt, arguments: input }, within)
        .catch((error: unknown) => fail(error, `within ${limits.connectMs / 1000} s`)),
    async callTool(tool, input, ctx) {
      using call = calls.begin(ctx, limits)
      try {
        return await send(
          { name: tool, arguments: input },
          {
            signal: call.signal,
            // Disable the SDK's timeout. Ours pauses while a person is asked.
            timeout: 2_147_483_647,
            onprogress({ progress, total, message }) {
              call.touch()
              ctx.emit(
                'tool-progress',
                { toolCallId: ctx.toolCallId, delta: progressText(progress, total, message) },
                { transient: true },
              )
            },
          },
        )
      } catch (error) {
        ctx.signal.throwIfAborted()
        await visitFirst(error, call)
        if (call.overdue() !== undefined) throw new Error(`The MCP server "${name}" ${call.overdue()}.`)
        throw described(error, 'in time', ' during the call, so its outcome is unknown')
      }
    },
  }

  /** Some calls work only after the person has opened a URL. */
  async function visitFirst(error: unknown, call: ActiveMcpCall): Promise<void> {
    const { UrlElicitationRequiredError } = await import('@modelcontextprotocol/client')
    if (!(error instanceof UrlElicitationRequiredError)) return
    const before = `The MCP server "${name}" wants the user to open a URL first`
    for (const wanted of error.elicitations.slice(0, maxVisits)) {
      const { action } = await askToOpenUrl(name, wanted, call).catch((refused: unknown) => {
        throw new Error(`${before}, but ${(refused as Error).message}.`, { cause: refused })
      })
      if (action !== 'accept') throw new Error(`${before}. The user declined.`)
    }
    throw new Error(`${before}. The user agreed. Make the call again once they say they are done.`)
  }

  /** Fetches all pages. Each request and the number of pages are bounded. */
  async function everyPage<Key extends string, Item>(
    page: (params: { cursor?: string }) => Promise<{ [K in Key]: Item[] } & { nextCursor?: string | undefined }>,
    key: Key,
  ): Promise<Item[]> {
    const all: Item[] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let count = 0; count < limits.pages; count++) {
      const found = await page(cursor === undefined ? {} : { cursor }).catch((error: unknown) =>
        fail(error, `with its list of ${key} within ${limits.connectMs / 1000} s`),
      )
      all.push(...found[key])
      cursor = found.nextCursor
      if (cursor === undefined || cursor === '') return all
      if (seen.has(cursor)) throw new Error(`The MCP server "${name}" repeats pages of its list of ${key}.`)
      seen.add(cursor)
      if (all.length > limits.tools * 10) break
    }
    throw new Error(`The MCP server "${name}" has an endless list of ${key}.`)
  }

  function fail(error: unknown, when: string): never {
    throw described(error, when)
  }

  /** Wraps the error in a message that names the server, with the original as cause. */
  function described(error: unknown, when: string, during = ''): Error {
    const what = transport.reason() ?? failureOf(error, when)
    return new Error(`The MCP server "${name}" ${what}${what.startsWith('reported: ') ? '' : `${during}.`}`, {
      cause: error,
    })
  }

  async function close(): Promise<void> {
    closed.resolve(transport.reason() ?? 'was told to stop')
    await client.close()
    await transport.close()
  }
}

function failureOf(error: unknown, when: string): string {
  const { code, message, data, cause } = error as {
    code?: unknown
    message?: string
    data?: { status?: number } | undefined
    cause?: { code?: string; message?: string }
  }
  if (code === 'REQUEST_TIMEOUT') return `did not answer ${when}`
  if (code === 'CONNECTION_CLOSED') return 'closed the connection'
  if (
    (error as Error).name === 'UnauthorizedError' ||
    data?.status === 401 ||
    message?.startsWith('Unauthorized') === true
  )
    return 'requires you to log in'
  if (data?.status !== undefined) return `answered with HTTP status ${data.status}`
  if (message === 'fetch failed') return `cannot be reached (${cause?.code ?? cause?.message ?? 'no reason given'})`
  return `reported: ${(message ?? String(error)).slice(0, 4000)}`
}

function progressText(progress: number, total: number | undefined, message: string | undefined): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`
  return `${message === undefined ? share : `${share} ${message.slice(0, 2000)}`}\n`
}
