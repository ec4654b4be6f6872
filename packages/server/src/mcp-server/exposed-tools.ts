import type { CallToolResult, Tool as OfferedTool, ServerContext } from '@modelcontextprotocol/server'
import { createFold, type Message, newId, readEvents, type ToolCallResult } from '@troupe/protocol'
import type { RuleTexts } from '../permission/rule-layers.ts'

interface ToolInfo {
  name: string
  description: string
  status: string
  readOnly: boolean
  inputSchema: OfferedTool['inputSchema']
}

type Content = CallToolResult['content']

const dialect = 'https://json-schema.org/draft/2020-12/schema'
const maxFiles = 20
const maxFileBytes = 20 << 20
/** Limits on the number and length of progress messages per call. */
const maxProgressMessages = 1000
const maxProgressLength = 2000

/** Exposes tools by name, subject to the rules. Throws an Error that names missing tools. */
export async function exposeTools(options: McpServiceOptions, sessionId: string): Promise<ExposedTool[]> {
  const { fetch: request, tools = [], rules } = options
  if (tools.length === 0) return []
  const known = (await readResponse<{ tools: ToolInfo[] }>(await request('/ai/tools?schemas=1'))).tools
  return tools.map((name) => {
    const tool = known.find((one) => one.name.toLowerCase() === name.toLowerCase() && one.status === 'enable')
    if (tool === undefined)
      throw new Error(`There is no tool "${name}". Available tools: ${known.map((one) => one.name).join(', ')}.`)
    return {
      name: tool.name,
      description: tool.description,
      inputSchema: { $schema: dialect, ...tool.inputSchema },
      annotations: { readOnlyHint: tool.readOnly },
      async call(input, ctx) {
        const response = await request(`/ai/tools/${tool.name}/call`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input, sessionId, stream: true, rules }),
          signal: ctx.mcpReq.signal,
        })
        if (!response.ok || response.body === null) await readResponse(response)
        let progress = 0
        for await (const { chunk } of readEvents(response.body as ReadableStream<Uint8Array>)) {
          const { type, data } = chunk as { type: string; data?: unknown }
          if (type === 'data-call-result') return toResult(data as ToolCallResult, request)
          const { delta } = (data ?? {}) as { delta?: unknown }
          if (type === 'data-tool-progress' && typeof delta === 'string' && progress < maxProgressMessages)
            await sendProgress(ctx, ++progress, delta.trim().slice(0, maxProgressLength), tool.name)
        }
        throw new Error('The call ended without a result.')
      },
    }
  })
}

/** Returns the text a model would see, plus images, audio and other files of the result. */
async function toResult(result: ToolCallResult, request: McpServiceOptions['fetch']): Promise<CallToolResult> {
  const { state, output, text } = result
  if (state !== 'output-available') return { content: [{ type: 'text', text }], isError: true }
  const files = await Promise.all(filesIn(output).map((file) => fileBlock(file, request)))
  const content: Content = [...(text === '' && files.length > 0 ? [] : [{ type: 'text' as const, text }]), ...files]
  // Include the structured object if the model would get it too.
  const isStructured = isObject(output) && text === JSON.stringify(output)
  return { content, structuredContent: isStructured ? output : undefined }
}

interface BlobFile {
  mediaType: string
  blob: string
  size: number
}

function filesIn(output: unknown): BlobFile[] {
  if (!isObject(output)) return []
  const named = Array.isArray(output['files']) ? output['files'] : [output]
  let left = maxFileBytes
  return named
    .filter((file): file is BlobFile => isObject(file) && typeof file['mediaType'] === 'string' && isBlob(file['blob']))
    .slice(0, maxFiles)
    .filter(({ size }) => (left -= Number(size)) >= 0)
}

async function fileBlock({ mediaType, blob }: BlobFile, request: McpServiceOptions['fetch']): Promise<Content[number]> {
  const response = await request(`/ai/blobs/${blob}`)
  if (!response.ok) await readResponse(response)
  const data = Buffer.from(await response.arrayBuffer()).toString('base64')
  if (mediaType.startsWith('image/')) return { type: 'image', data, mimeType: mediaType }
  if (mediaType.startsWith('audio/')) return { type: 'audio', data, mimeType: mediaType }
  return { type: 'resource', resource: { uri: `troupe-blob:${blob}`, mimeType: mediaType, blob: data } }
}

function isBlob(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Exposes each agent as a tool. A call starts a new session, or continues one that any of these tools started. */
export async function exposeAgents(options: McpServiceOptions): Promise<ExposedTool[]> {
  const { agents } = await readResponse<{
    agents: { name: string; description: string; enabled: boolean; hidden?: true }[]
  }>(await options.fetch('/ai/agents'))
  const usable = agents.filter(({ enabled }) => enabled)
  const begun = new Set(options.sessions)
  const wanted = options.agents ?? usable.filter(({ hidden }) => hidden !== true).map(({ name }) => name)
  return wanted.map((name) => {
    const agent = usable.find((one) => one.name === name)
    if (agent === undefined)
      throw new Error(`There is no agent "${name}". Available agents: ${usable.map((one) => one.name).join(', ')}.`)
    return {
      name: `agent_${name.replace(/[^A-Za-z0-9_-]/g, '_')}`,
      title: `Agent ${name}`,
      description: agent.description || `The agent ${name}.`,
      inputSchema: {
        type: 'object',
        properties: {
          prompt: { type: 'string', description: 'What the agent should do, with everything it needs to know' },
          session: { type: 'string', description: 'Continue the conversation of an earlier call' },
        },
        required: ['prompt'],
      },
      outputSchema: {
        type: 'object',
        properties: { session: { type: 'string' }, text: { type: 'string' } },
        required: ['session', 'text'],
      },
      call: (input, ctx) => askAgent(name, input, ctx, options, begun),
    }
  })
}

async function askAgent(
  agent: string,
  { prompt, session }: Record<string, unknown>,
  ctx: ServerContext,
  { fetch: request, rules, model }: McpServiceOptions,
  begun: Set<string>,
): Promise<CallToolResult> {
  if (typeof prompt !== 'string' || prompt === '') throw new Error('"prompt" is required: what the agent should do.')
  // A caller cannot access other sessions, even if it knows the id.
  if (session !== undefined && (typeof session !== 'string' || !begun.has(session)))
    throw new Error('"session" must come from an earlier call. Omit it to start a new conversation.')
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
      rules,
      model,
    }),
  })
  if (!response.ok || response.body === null) await readResponse(response)
  begun.add(sessionId)
  // The run continues unless it is stopped.
  const stop = (): void => void request(`/ai/chat/${sessionId}/stop`, { method: 'POST' }).catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const fold = createFold()
    let progress = 0
    for await (const { chunk } of readEvents(response.body as ReadableStream<Uint8Array>)) {
      fold.push(chunk)
      if (chunk.type === 'tool-input-available') await sendProgress(ctx, ++progress, chunk.toolName, agent)
    }
    const message = fold.snapshot()
    const text = lastText(message)
    const failure = message.metadata?.error?.message ?? message.metadata?.stopped?.message
    return {
      content: [{ type: 'text', text: failure === undefined ? text : `${text}\n${failure}`.trim() }],
      structuredContent: { session: sessionId, text },
      isError: failure === undefined ? undefined : true,
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Returns the text after the last tool call, or all text if there is none. */
function lastText({ parts }: Message): string {
  const texts = (from: number): string =>
    parts
      .slice(from)
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('\n\n')
  return texts(parts.findLastIndex((part) => part.type === 'step-start') + 1) || texts(0)
}

export interface McpServiceOptions {
  /** Sends requests for the workspace to the server that owns the home. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Tool names. Default: none. */
  tools?: readonly string[]
  /** Agent names. Default: all usable agents. */
  agents?: readonly string[]
  /** Apply to these calls only. */
  rules?: RuleTexts
  model?: string
  /** Sessions that agents may continue besides their own. */
  sessions?: readonly string[]
  version: string
}

export interface ExposedTool extends OfferedTool {
  call(input: Record<string, unknown>, ctx: ServerContext): Promise<CallToolResult>
}

/** Reports progress to clients that requested it, and to the log. */
async function sendProgress(ctx: ServerContext, progress: number, message: string, who: string): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken !== undefined)
    await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  // Newer versions of the protocol do without; programs of the versions in use read it.
  // oxlint-disable-next-line typescript/no-deprecated
  await ctx.mcpReq.log('info', message, who)
}

/** Returns the response body. Throws an error response as an Error. */
export async function readResponse<T>(response: Response): Promise<T> {
  const body = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (response.ok) return body as T
  throw new Error(body.error?.message ?? `Troupe answered with status ${response.status}.`)
}
