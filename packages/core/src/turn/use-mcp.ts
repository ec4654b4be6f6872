import type { CallToolResult, ListToolsResult, MCPClient, MCPClientConfig } from '@ai-sdk/mcp'
import type { StdioConfig } from '@ai-sdk/mcp/mcp-stdio'
import { z } from 'zod'
import { defineTool, type Tool } from '../tool.ts'

/** An address, `{ type: 'http' | 'sse', url }`, a command to start, or a transport of one's own. */
export type McpTransport = string | MCPClientConfig['transport'] | StdioConfig

export interface OpenMcp {
  tools: Tool[]
  close(): Promise<void>
}

/**
 * Connects to a server and makes tools of its. With a name they are called `mcp__<name>__<tool>`, so that several
 * servers never meet and rules can speak of them; without, they keep their own names.
 */
export async function openMcp(transport: McpTransport, name: string | undefined): Promise<OpenMcp> {
  const { createMCPClient } = await import('@ai-sdk/mcp')
  const client = await createMCPClient({ transport: await transportOf(transport) })
  try {
    const tools = (await listAll(client)).map((listed) => toolOf(listed, client, name))
    return { tools, close: () => client.close() }
  } catch (error) {
    await client.close()
    throw error
  }
}

async function transportOf(given: McpTransport): Promise<MCPClientConfig['transport']> {
  if (typeof given === 'string') return { type: 'http', url: given }
  if (!('command' in given)) return given
  const { StdioMCPTransport } = await import('@ai-sdk/mcp/mcp-stdio')
  return new StdioMCPTransport(given) as MCPClientConfig['transport']
}

type Listed = ListToolsResult['tools'][number]

async function listAll(client: MCPClient): Promise<Listed[]> {
  const all: Listed[] = []
  for (let cursor: string | undefined; ;) {
    const page = await client.listTools(cursor === undefined ? {} : { params: { cursor } })
    all.push(...page.tools)
    if (page.nextCursor === undefined || page.nextCursor === cursor) return all
    cursor = page.nextCursor
  }
}

function toolOf(listed: Listed, client: MCPClient, server: string | undefined): Tool {
  const legal = listed.name.replace(/[^A-Za-z0-9_-]/g, '_')
  return defineTool({
    name: server === undefined ? legal : `mcp__${server}__${legal}`,
    description: listed.description ?? listed.title ?? listed.name,
    input: inputOf(listed),
    jsonSchema: { type: 'object', ...listed.inputSchema },
    readOnly: listed.annotations?.readOnlyHint === true,
    group: `mcp:${server ?? client.serverInfo.name}`,
    async execute(input, { signal }) {
      return readResult(await client.callTool({ name: listed.name, arguments: input, options: { signal } }))
    },
  })
}

/** A schema that cannot be read here is checked by the server; the model is shown it in any case. */
function inputOf({ inputSchema }: Listed): z.ZodType<Record<string, unknown>> {
  try {
    const schema = z.fromJSONSchema({ type: 'object', ...inputSchema } as z.core.JSONSchema.JSONSchema)
    if (schema instanceof z.ZodObject) return schema
  } catch {
    // Falls through to any object.
  }
  return z.looseObject({})
}

/** Structured content where there is some, else the content; an error of the tool is thrown like any other. */
function readResult(result: CallToolResult): unknown {
  const blocks = Array.isArray(result['content']) ? (result['content'] as { type: string; text?: string }[]) : []
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
  if (result['isError'] === true) throw new Error(texts.join('\n') || 'The tool failed and did not say why.')
  if (result['structuredContent'] !== undefined) return result['structuredContent']
  if ('toolResult' in result) return result['toolResult']
  if (texts.length < blocks.length) return blocks
  const text = texts.join('\n')
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
