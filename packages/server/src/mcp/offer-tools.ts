import { readEvents } from '@troupe/core'
import type { CallToolResult, Tool as OfferedTool } from '@modelcontextprotocol/server'
import type { ToolCallResult } from './call-tool.ts'
import { readResponse, sendProgress, type ExposedTool, type McpServiceOptions } from './offer-parts.ts'

interface ToolInfo {
  name: string
  description: string
  status: string
  readOnly: boolean
  inputSchema: OfferedTool['inputSchema']
}

type Content = CallToolResult['content']

/** What our schemas are written in. */
const dialect = 'https://json-schema.org/draft/2020-12/schema'
const maxFiles = 20
const maxFileBytes = 20 << 20
/** What a call tells of itself while it runs: so often, and so much of it each time. */
const maxProgressMessages = 1000
const maxProgressLength = 2000

/** Tools of ours by name, under the rules. Throws an Error that names what is not there. */
export async function exposeTools(options: McpServiceOptions, sessionId: string): Promise<ExposedTool[]> {
  const { fetch: request, tools = [], rules } = options
  if (tools.length === 0) return []
  const known = (await readResponse<{ tools: ToolInfo[] }>(await request('/ai/tools?schemas=1'))).tools
  return tools.map((name) => {
    const tool = known.find((one) => one.name.toLowerCase() === name.toLowerCase() && one.status === 'enable')
    if (tool === undefined)
      throw new Error(`There is no tool "${name}". There are: ${known.map((one) => one.name).join(', ')}.`)
    return {
      name: tool.name,
      description: tool.description,
      inputSchema: { $schema: dialect, ...tool.inputSchema },
      annotations: { readOnlyHint: tool.readOnly },
      async call(input, ctx) {
        const response = await request(`/ai/tools/${tool.name}/call`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input, sessionId, stream: true, ...(rules !== undefined && { rules }) }),
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

/** What a model of ours would read, and the pictures, sounds and other files that came with it. */
async function toResult(result: ToolCallResult, request: McpServiceOptions['fetch']): Promise<CallToolResult> {
  const { state, output, text } = result
  if (state !== 'output-available') return { content: [{ type: 'text', text }], isError: true }
  const files = await Promise.all(filesIn(output).map((file) => fileBlock(file, request)))
  const content: Content = [...(text === '' && files.length > 0 ? [] : [{ type: 'text' as const, text }]), ...files]
  // Where a model is given the object itself, programs are too.
  const isStructured = isObject(output) && text === JSON.stringify(output)
  return { content, ...(isStructured && { structuredContent: output }) }
}

interface BlobFile {
  mediaType: string
  blob: string
  size: number
}

/** As tools that bring bytes have them in their output. */
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
