import { createFold, newId, readEvents, type Message } from '@troupe/core'
import type { CallToolResult, McpServer, ServerContext, Tool as OfferedTool } from '@modelcontextprotocol/server'
import type { RuleTexts } from '../permission/rule-layers.ts'

export interface OfferOptions {
  /** Requests to the server that owns the home, about the workspace. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Tools by name; none by default. */
  tools?: readonly string[]
  /** Agents by name. Default: all that can be used. */
  agents?: readonly string[]
  /** Hold for these calls alone. */
  rules?: RuleTexts
  model?: string
  version: string
}

/** What we offer to other programs as an MCP server: our agents, and chosen tools. */
export interface Offer {
  /** A server for one connection. */
  server(): McpServer
  /** What is offered, by the names that others see. */
  names: string[]
}

interface Offered extends OfferedTool {
  call(input: Record<string, unknown>, ctx: ServerContext): Promise<CallToolResult>
}

interface ToolInfo {
  name: string
  description: string
  status: string
  readOnly: boolean
  inputSchema: OfferedTool['inputSchema']
}

/** Throws an Error that names what is not there. */
export async function createOffer(options: OfferOptions): Promise<Offer> {
  const { McpServer: SdkServer, ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server')
  const conversation = newId('mcp_')
  const offered = [...(await agentTools(options)), ...(await plainTools(options, conversation))]
  const byName = new Map(offered.map((tool) => [tool.name, tool]))
  return {
    names: [...byName.keys()],
    server() {
      const made = new SdkServer(
        { name: 'troupe', title: 'Troupe', version: options.version },
        {
          capabilities: { tools: {} },
          instructions: 'Agents and tools of a Troupe workspace. What would need an approval there is denied.',
        },
      )
      const { server } = made
      server.setRequestHandler('tools/list', () => ({ tools: offered.map(({ call: _, ...tool }) => tool) }))
      server.setRequestHandler('tools/call', async ({ params }, ctx) => {
        const tool = byName.get(params.name)
        if (tool === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name.slice(0, 100)}".`)
        try {
          return await tool.call(params.arguments ?? {}, ctx)
        } catch (error) {
          return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
        }
      })
      return made
    },
  }
}

async function agentTools(options: OfferOptions): Promise<Offered[]> {
  const { agents } = await json<{ agents: { name: string; description: string; enabled: boolean }[] }>(
    await options.fetch('/ai/agents'),
  )
  const usable = agents.filter(({ enabled }) => enabled)
  const wanted = options.agents ?? usable.map(({ name }) => name)
  return wanted.map((name) => {
    const agent = usable.find((one) => one.name === name)
    if (agent === undefined)
      throw new Error(
        `There is no agent "${name}" that can be used. There are: ${usable.map((one) => one.name).join(', ')}.`,
      )
    return {
      name: `agent_${name.replace(/[^A-Za-z0-9_-]/g, '_')}`,
      title: `Agent ${name}`,
      description: agent.description || `The agent ${name}.`,
      inputSchema: {
        type: 'object',
        properties: {
          prompt: { type: 'string', description: 'What it is to do, with all that it has to know' },
          session: { type: 'string', description: 'Go on with the conversation of an earlier call' },
        },
        required: ['prompt'],
      },
      outputSchema: {
        type: 'object',
        properties: { session: { type: 'string' }, text: { type: 'string' } },
        required: ['session', 'text'],
      },
      call: (input, ctx) => askAgent(name, input, ctx, options),
    }
  })
}

async function askAgent(
  agent: string,
  { prompt, session }: Record<string, unknown>,
  ctx: ServerContext,
  { fetch: request, rules, model }: OfferOptions,
): Promise<CallToolResult> {
  if (typeof prompt !== 'string' || prompt === '') throw new Error('"prompt" is needed: what the agent is to do.')
  if (session !== undefined && (typeof session !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(session)))
    throw new Error('"session" is the one that an earlier call gave.')
  const sessionId = session ?? newId('ses_')
  const { signal } = ctx.mcpReq
  const response = await request('/ai/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      sessionId,
      message: { id: newId('msg_'), role: 'user', parts: [{ type: 'text', text: prompt }] },
      agent,
      headless: true,
      ...(rules !== undefined && { rules }),
      ...(model !== undefined && { model }),
    }),
  })
  if (!response.ok || response.body === null) await json(response)
  // The run goes on without us unless it is stopped.
  const stop = (): void => void request(`/ai/chat/${sessionId}/stop`, { method: 'POST' }).catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const fold = createFold()
    let progress = 0
    for await (const { chunk } of readEvents(response.body as ReadableStream<Uint8Array>)) {
      fold.push(chunk)
      if (chunk.type === 'tool-input-available') await tellProgress(ctx, ++progress, chunk.toolName)
    }
    const message = fold.snapshot()
    const text = lastText(message)
    const failure = message.metadata?.error?.message ?? message.metadata?.stopped?.message
    return {
      content: [{ type: 'text', text: failure === undefined ? text : `${text}\n${failure}`.trim() }],
      structuredContent: { session: sessionId, text },
      ...(failure !== undefined && { isError: true }),
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function tellProgress(ctx: ServerContext, progress: number, message: string): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
}

async function plainTools({ fetch: request, tools = [], rules }: OfferOptions, sessionId: string): Promise<Offered[]> {
  if (tools.length === 0) return []
  const known = (await json<{ tools: ToolInfo[] }>(await request('/ai/tools?schemas=1'))).tools
  return tools.map((name) => {
    const tool = known.find((one) => one.name.toLowerCase() === name.toLowerCase() && one.status === 'enable')
    if (tool === undefined)
      throw new Error(`There is no tool "${name}". There are: ${known.map((one) => one.name).join(', ')}.`)
    return {
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      annotations: { readOnlyHint: tool.readOnly },
      async call(input, ctx) {
        const response = await request(`/ai/tools/${tool.name}/call`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input, sessionId, ...(rules !== undefined && { rules }) }),
          signal: ctx.mcpReq.signal,
        })
        const { result } = await json<{ result: { state: string; text: string } }>(response)
        return {
          content: [{ type: 'text', text: result.text }],
          ...(result.state !== 'output-available' && { isError: true }),
        }
      },
    }
  })
}

async function json<T>(response: Response): Promise<T> {
  const body = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (response.ok) return body as T
  throw new Error(body.error?.message ?? `Troupe answered with the status ${response.status}.`)
}

/** What was said after the last call, or everything where that is nothing. */
function lastText({ parts }: Message): string {
  const texts = (from: number): string =>
    parts
      .slice(from)
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('\n\n')
  return texts(parts.findLastIndex((part) => part.type === 'step-start') + 1) || texts(0)
}
