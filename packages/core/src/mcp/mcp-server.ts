import type { Tool as ListedTool, Prompt, Resource } from '@modelcontextprotocol/client'
import { createRing } from '../process/output-buffer.ts'
import type { Tool } from '../tool/tool.ts'
import { mcpTool, toolsFingerprint } from './mcp-tool.ts'
import { type McpConnection, openConnection } from './open-connection.ts'
import { mcpLimits, type McpLimits } from './server-config.ts'
import type { ServerTransport } from './stdio-transport.ts'

export type McpState = 'connecting' | 'ready' | 'failed' | 'needs-trust' | 'disabled'

/** One server, kept connected in the background. Its failures never throw at readers. */
export interface McpServer {
  readonly name: string
  readonly state: McpState
  readonly error: string | undefined
  /** Omissions and failures that do not keep it from being ready. */
  readonly problems: readonly string[]
  /** Time of the next retry, in milliseconds since 1970. */
  readonly retryAt: number | undefined
  readonly title: string | undefined
  readonly instructions: string | undefined
  /** Tools the server offers, trusted or not. */
  readonly listed: readonly ListedTool[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  /** Fingerprint of the tool list that trust applies to. */
  readonly toolsFingerprint: string | undefined
  /** Empty unless ready. */
  tools(): readonly Tool[]
  /** Tail of its output and log messages. */
  log(): string
  connection(): McpConnection
  /** Connects or reconnects immediately. Resolves once that succeeds or fails. */
  connect(): Promise<void>
  /** Resolves after the first attempt. */
  settled(): Promise<void>
  /** Like `settled`, but also waits for the lists of prompts and resources. */
  complete(): Promise<void>
  acceptTools(): void
  close(): Promise<void>
}

export interface McpServerOptions {
  name: string
  /** Called for every connection. Throws an Error that says why the server cannot be reached. */
  transport(onText: (text: string) => void): Promise<ServerTransport>
  /** Fingerprint the person trusted before. If undefined, the first list is trusted. */
  trusted: { get(): string | undefined; set(fingerprint: string): void }
  /** Trusts the tools' annotations, but only for scheduling calls. Default: false. */
  trustsHints?: boolean
  limits?: Partial<McpLimits>
  onChange?(): void
  redact?(text: string): string
  /** For tests: initial retry delay. */
  backoffMs?: number
}

const maxBackoffMs = 300_000
/** After a connection this long, the retry backoff starts over. */
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
  /** Connection counter. Events of older connections are ignored. */
  let era = 0
  let isClosed = false
  const relist = oneAtATime(listToolsAgain)
  const relistOthers = oneAtATime(async () => {
    if (current !== undefined) await listOthers(current)
  })
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
      throw new Error(`The MCP server "${name}" is not available. ${error ?? 'It is still connecting.'}`)
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

  /** Prompts and resources are optional, so a failure to list them is only reported. */
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
        // Use the current connection. Tools survive a reconnect unless they changed.
        call: (toolName, input, ctx) => server.connection().callTool(toolName, input, ctx),
      }),
    )
    const known = trusted.get()
    if (known === undefined) trusted.set(fingerprint)
    if (known === undefined || known === fingerprint) return become('ready')
    become(
      'needs-trust',
      `The tools of the MCP server "${name}" have changed since you trusted it. Review them and trust the server again.`,
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

/** Serializes runs of the callback. A request during a run causes one more run. */
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

/** Selects the tools that are callable and small enough, with a sentence for each rejected tool. */
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
    const name = `The tool "${tool.name.slice(0, 100).toWellFormed()}" was skipped`
    if (tool.execution?.taskSupport === 'required')
      problems.push(`${name}: it only runs as a task, which is not supported.`)
    else if (length > limits.toolCharacters)
      problems.push(
        `${name}: its description and schema have ${length} characters. The limit is ${limits.toolCharacters}.`,
      )
    else if (names.has(tool.name)) problems.push(`${name}: another tool has the same name.`)
    else if (tools.length === limits.tools || all + length > limits.allCharacters) {
      const left = listed.length - tools.length - problems.length
      problems.push(
        `${left} tools were skipped: there are more than ${limits.tools}, or their total size is too large.`,
      )
      break
    } else {
      names.add(tool.name)
      all += length
      tools.push(tool)
    }
  }
  if (problems.length > 20) problems.splice(20, problems.length, `${problems.length - 20} more tools were skipped.`)
  return { tools, problems }
}
