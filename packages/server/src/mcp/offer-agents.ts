import { createFold, newId, readEvents, type Message } from '@troupe/core'
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import { readResponse, sendProgress, type ExposedTool, type McpServiceOptions } from './offer-parts.ts'

/** Each agent as a tool, which answers in a session of its own, and goes on with those that it or another of them began. */
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
  if (typeof prompt !== 'string' || prompt === '') throw new Error('"prompt" is needed: what the agent is to do.')
  // Another's conversation is not for who calls here, even if its id is known.
  if (session !== undefined && (typeof session !== 'string' || !begun.has(session)))
    throw new Error('"session" is the one that an earlier call gave. Leave it out to begin a new conversation.')
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
  if (!response.ok || response.body === null) await readResponse(response)
  begun.add(sessionId)
  // The run goes on without us unless it is stopped.
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
      ...(failure !== undefined && { isError: true }),
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
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
