import type { Tool as ListedTool, Prompt, Resource } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { createRing } from '../process/output-buffer.ts'
import { defineTool, type Tool } from '../tool/tool.ts'
import { mcpTool, toolsFingerprint } from './mcp-tool.ts'
import { type McpConnection, openConnection } from './open-connection.ts'
import { readContents } from './read-result.ts'
import { mcpLimits, type McpLimits } from './server-config.ts'
import type { ServerTransport } from './stdio-transport.ts'

export type McpState = 'connecting' | 'ready' | 'failed' | 'needs-trust' | 'disabled'

/** One server, kept connected in the background. Nothing that it does is thrown at whoever looks. */
export interface McpServer {
  readonly name: string
  readonly state: McpState
  /** Why it is not ready, in a sentence. */
  readonly error: string | undefined
  /** What was left out or went wrong though it is ready. */
  readonly problems: readonly string[]
  /** When it is tried again, in milliseconds since 1970. */
  readonly retryAt: number | undefined
  readonly title: string | undefined
  readonly instructions: string | undefined
  /** What the server offers, whether it may be used or not. */
  readonly listed: readonly ListedTool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  /** What trust in its tools binds to. */
  readonly toolsFingerprint: string | undefined
  /** None unless it is ready. */
  tools(): readonly Tool[]
  /** The end of what it printed and said. */
  log(): string
  connection(): McpConnection
  /** Begins, or begins anew at once; resolves when that has succeeded or failed. */
  connect(): Promise<void>
  /** Resolves when the first try is over. */
  settled(): Promise<void>
  /** The same, and its prompts and resources are listed too. */
  complete(): Promise<void>
  /** The person trusts the tools as they are listed now. */
  acceptTools(): void
  close(): Promise<void>
}

export interface McpServerOptions {
  name: string
  /** Throws an Error that says why it cannot be reached. Called for every connection. */
  transport(onText: (text: string) => void): Promise<ServerTransport>
  /** What the person has trusted before; undefined: no list yet, so that the first one is taken. */
  trusted: { get(): string | undefined; set(fingerprint: string): void }
  /** Whether annotations of its tools are believed, as far as the order of calls goes. Default: false. */
  trustsHints?: boolean
  limits?: Partial<McpLimits>
  /** Its state or its tools are others now. */
  onChange?(): void
  redact?(text: string): string
  /** For tests: the first wait before another try. */
  backoffMs?: number
}

const maxBackoffMs = 300_000
/** A connection that has held for so long was a good one: the next failure is the first again. */
const stableMs = 60_000

export function createMcpServer(options: McpServerOptions): McpServer {
  const { name, trusted, redact = (text: string) => text } = options
  const limits = { ...mcpLimits, ...options.limits }
  const ring = createRing(limits.logCharacters)
  let state: McpState = 'connecting'
  let error: string | undefined
  let problems: string[] = []
  let otherProblems: string[] = []
  let retryAt: number | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let current: McpConnection | undefined
  let listed: readonly ListedTool[] = []
  let prompts: readonly Prompt[] = []
  let resources: readonly Resource[] = []
  let fingerprint: string | undefined
  let tools: readonly Tool[] = []
  /** Counts connections: what an older one still says is passed over. */
  let era = 0
  let isClosed = false
  const relist = oneAtATime(listToolsAgain)
  const relistOthers = oneAtATime(async () => {
    if (current !== undefined) await listOthers(current)
  })
  /** Listing prompts and resources, the newest time. */
  let others: Promise<void> | undefined
  const first = Promise.withResolvers<void>()

  const server: McpServer = {
    name,
    get state() {
      return state
    },
    get error() {
      return error
    },
    get problems() {
      return [...problems, ...otherProblems]
    },
    get retryAt() {
      return retryAt
    },
    get title() {
      return current?.title
    },
    get instructions() {
      return current?.instructions
    },
    get listed() {
      return listed
    },
    get prompts() {
      return prompts
    },
    get resources() {
      return resources
    },
    get toolsFingerprint() {
      return fingerprint
    },
    tools: () => (state === 'ready' ? tools : []),
    log: () => ring.read().text,
    connection() {
      if (current !== undefined && state === 'ready') return current
      throw new Error(`The MCP server "${name}" cannot be used now. ${error ?? 'It is still connecting.'}`)
    },
    connect,
    settled: () => first.promise,
    async complete() {
      await first.promise
      await others
    },
    acceptTools() {
      if (fingerprint === undefined || current === undefined) return
      trusted.set(fingerprint)
      become('ready')
    },
    async close() {
      isClosed = true
      era++
      clearTimeout(timer)
      first.resolve()
      await current?.close()
    },
  }
  return server

  async function connect(): Promise<void> {
    if (isClosed) return
    const own = ++era
    clearTimeout(timer)
    retryAt = undefined
    const before = current
    current = undefined
    become('connecting')
    await before?.close()
    let opened: McpConnection | undefined
    try {
      opened = await openConnection({
        name,
        limits,
        transport: () => options.transport(say),
        onText: say,
        onToolsChanged: () => void (own === era && relist()),
        onOthersChanged: () => void (own === era && relistOthers()),
      })
      const found = await opened.listTools()
      if (own !== era) return await opened.close()
      current = opened
      const since = performance.now()
      void opened.closed.then((why) => {
        if (own !== era) return
        if (performance.now() - since > stableMs) failures = 0
        current = undefined
        lost(`The MCP server "${name}" ${why}.`)
      })
      take(found)
      others = listOthers(opened)
      first.resolve()
      await others
    } catch (thrown) {
      await opened?.close()
      if (own === era) lost((thrown as Error).message)
    } finally {
      if (own === era) first.resolve()
    }
  }

  /** Prompts and resources are extras: that they cannot be listed is said, and nothing else. */
  async function listOthers(from: McpConnection): Promise<void> {
    const [foundPrompts, foundResources] = await Promise.allSettled([from.listPrompts(), from.listResources()])
    if (current !== from) return
    prompts = foundPrompts.status === 'fulfilled' ? foundPrompts.value.slice(0, limits.tools) : []
    resources = foundResources.status === 'fulfilled' ? foundResources.value.slice(0, limits.tools) : []
    otherProblems = [foundPrompts, foundResources].flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as Error).message] : [],
    )
    options.onChange?.()
  }

  function take(found: ListedTool[]): void {
    const picked = pickListed(found, limits)
    listed = picked.tools
    problems = picked.problems
    fingerprint = toolsFingerprint(listed)
    tools = listed.map((tool) =>
      mcpTool(tool, {
        server: name,
        trusted: options.trustsHints === true,
        // The connection of the moment: tools outlive a reconnect, unless they have changed.
        call: (toolName, input, ctx) => server.connection().callTool(toolName, input, ctx),
      }),
    )
    const known = trusted.get()
    if (known === undefined) trusted.set(fingerprint)
    if (known === undefined || known === fingerprint) return become('ready')
    become(
      'needs-trust',
      `The tools of the MCP server "${name}" are not those that you trusted. Look at them and trust them again.`,
    )
  }

  async function listToolsAgain(): Promise<void> {
    const from = current
    if (from === undefined) return
    try {
      const found = await from.listTools()
      if (current === from) take(found)
    } catch (thrown) {
      if (current === from) problems.push((thrown as Error).message)
    }
  }

  function lost(why: string): void {
    if (isClosed) return
    const delay = Math.min((options.backoffMs ?? 1000) * 2 ** failures, maxBackoffMs)
    failures++
    retryAt = Date.now() + delay
    timer = setTimeout(() => void connect(), delay)
    timer.unref()
    say(`${why}\n`)
    become('failed', why)
  }

  function become(next: McpState, why?: string): void {
    state = next
    error = why === undefined ? undefined : redact(why)
    options.onChange?.()
  }

  function say(text: string): void {
    ring.add(redact(text))
  }
}

/** What is asked for while it is under way is done once more after that. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let isAskedAgain = false
  return async () => {
    isAskedAgain = running !== undefined
    running ??= repeat().finally(() => (running = undefined))
    await running
  }

  async function repeat(): Promise<void> {
    do {
      isAskedAgain = false
      await work()
    } while (isAskedAgain)
  }
}

/** The tools of a server that can be called and are small enough, and a sentence for each that is not. */
export function pickListed(
  listed: readonly ListedTool[],
  limits: McpLimits,
): { tools: ListedTool[]; problems: string[] } {
  const tools: ListedTool[] = []
  const problems: string[] = []
  const names = new Set<string>()
  let all = 0
  for (const tool of listed) {
    const length = JSON.stringify([tool.inputSchema, tool.outputSchema]).length + (tool.description?.length ?? 0)
    const name = `The tool "${tool.name.slice(0, 100).toWellFormed()}" is left out`
    if (tool.execution?.taskSupport === 'required')
      problems.push(`${name}: it runs only as a task, which is not supported.`)
    else if (length > limits.toolCharacters)
      problems.push(
        `${name}: its description and schema have ${length} characters, more than ${limits.toolCharacters}.`,
      )
    else if (names.has(tool.name)) problems.push(`${name}: there is another one of that name.`)
    else if (tools.length === limits.tools || all + length > limits.allCharacters) {
      const left = listed.length - tools.length - problems.length
      problems.push(`${left} tools are left out: there are more than ${limits.tools}, or they are too big together.`)
      break
    } else {
      names.add(tool.name)
      all += length
      tools.push(tool)
    }
  }
  // Thousands of sentences would be a flood of their own.
  if (problems.length > 20) problems.splice(20, problems.length, `${problems.length - 20} more tools are left out.`)
  return { tools, problems }
}

const shown = 200

/** What lists and reads the resources of servers; none where no server has any. */
export function createResourceTools(servers: readonly McpServer[]): Tool[] {
  const offering = servers.filter(({ state, resources }) => state === 'ready' && resources.length > 0)
  if (offering.length === 0) return []
  const names = offering.map(({ name }) => name)
  const find = (name: string): McpServer => {
    const found = offering.find((server) => server.name === name)
    if (found === undefined) throw new Error(`No MCP server "${name}" has resources. These have: ${names.join(', ')}.`)
    return found
  }
  return [
    defineTool({
      name: 'ListMcpResources',
      description: `Lists the resources that MCP servers offer (${names.join(', ')}), with the URIs for ReadMcpResource.`,
      input: z.object({ server: z.string().describe('Only those of this server').optional() }),
      readOnly: true,
      group: 'mcp',
      execute({ server }) {
        const from = server === undefined ? offering : [find(server)]
        return from.flatMap(({ name, resources }) =>
          resources.slice(0, shown).map((resource) => ({
            server: name,
            uri: resource.uri,
            name: resource.name,
            ...(resource.description !== undefined && { description: resource.description.slice(0, 300) }),
            mimeType: resource.mimeType,
          })),
        )
      },
      toModel: (output) =>
        output
          .map(({ server, uri, name, description = '' }) => `${server} ${uri} ${name} ${description}`.trim())
          .join('\n'),
    }),
    defineTool({
      name: 'ReadMcpResource',
      description: 'Reads a resource of an MCP server by its URI, as ListMcpResources has it.',
      input: z.object({ server: z.string(), uri: z.string().max(4000) }),
      readOnly: true,
      // What a server does to answer is not for us to know.
      needsApproval: true,
      group: 'mcp',
      title: ({ uri }) => uri,
      async execute({ server, uri }, ctx) {
        const found = await find(server).connection().readResource(uri, ctx.signal)
        return readContents(found, ctx, `${server}-resource`)
      },
    }),
  ]
}
