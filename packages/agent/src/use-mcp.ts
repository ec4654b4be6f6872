import type { CallToolResult, Tool as Listed, Transport } from '@modelcontextprotocol/client'
import {
  type McpConnection,
  mcpLimits,
  type McpServerConfig,
  mcpToolName,
  type ServerTransport,
} from '@troupe/core/mcp'
import { defineTool, type Tool } from '@troupe/core/tool'
import { z } from 'zod'

/** A URL, `{ type: 'http' | 'sse', url }`, a command to start, or a custom transport. */
export type McpTransport =
  | string
  | { type: 'http' | 'sse'; url: string; headers?: Record<string, string> }
  | { command: string; args?: string[]; env?: Record<string, string>; cwd?: string }
  | Transport

export interface OpenMcp {
  tools: Tool[]
  close(): Promise<void>
}

/**
 * Connects to a server and creates tools from its list. With a name they are called `mcp__<name>_<tool>`, so that
 * servers never conflict and rules can refer to them. Without one they keep their own names.
 */
export async function openMcp(transport: McpTransport, name: string | undefined): Promise<OpenMcp> {
  const { openConnection } = await import('@troupe/core/mcp')
  const connection = await openConnection({
    name: name ?? 'mcp',
    limits: mcpLimits,
    transport: () => resolveTransport(transport),
    onToolsChanged: () => undefined,
    onOthersChanged: () => undefined,
    onText: () => undefined,
  })
  try {
    const listed = (await connection.listTools()).filter(({ execution }) => execution?.taskSupport !== 'required')
    const tools = listed.map((one) => toTool(one, connection, name))
    return { tools, close: () => connection.close() }
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function resolveTransport(given: McpTransport): Promise<ServerTransport> {
  if (typeof given !== 'string' && 'send' in given) return Object.assign(given, { reason: () => undefined })
  const { createTransport } = await import('@troupe/core/mcp')
  return createTransport(serverConfig(given), { folder: process.cwd(), onText: () => undefined })
}

function serverConfig(given: Exclude<McpTransport, Transport>): McpServerConfig {
  if (typeof given === 'string') {
    if (!URL.canParse(given))
      throw new TypeError(
        `useMcp takes a URL such as "http://127.0.0.1:3000/mcp" or { command, args }, not "${given}".`,
      )
    return { type: 'http', url: given, headers: {} }
  }
  if (!('command' in given)) return { headers: {}, ...given }
  return { type: 'stdio', args: [], env: {}, ...given }
}

function toTool(listed: Listed, connection: McpConnection, server: string | undefined): Tool {
  return defineTool({
    name: server === undefined ? listed.name.replace(/[^A-Za-z0-9_-]/g, '_') : mcpToolName(server, listed.name),
    description: listed.description ?? listed.title ?? listed.name,
    input: toInputSchema(listed),
    jsonSchema: { ...listed.inputSchema, type: 'object' },
    readOnly: listed.annotations?.readOnlyHint === true,
    group: `mcp:${server ?? connection.title}`,
    async execute(input, ctx) {
      return readResult(await connection.callTool(listed.name, input, ctx))
    },
  })
}

/** If the schema cannot be parsed here, the server validates it. The model sees it in any case. */
function toInputSchema({ inputSchema }: Listed): z.ZodType<Record<string, unknown>> {
  try {
    const schema = z.fromJSONSchema({ ...inputSchema, type: 'object' } as z.core.JSONSchema.JSONSchema)
    if (schema instanceof z.ZodObject) return schema
  } catch {
    // Fall through to any object.
  }
  return z.looseObject({})
}

/** Returns the structured content if present, else the content. Throws if the tool reports an error. */
function readResult({ content, isError, structuredContent }: CallToolResult): unknown {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  if (isError === true) throw new Error(texts.join('\n') || 'The tool failed without giving a reason.')
  if (structuredContent !== undefined) return structuredContent
  if (texts.length < content.length) return content
  const text = texts.join('\n')
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
