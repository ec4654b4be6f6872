import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client'
import { imageSize } from '../files/file-kind.ts'
import { spill } from '../files/temporary-files.ts'
import type { Blobs } from '../tool/services.ts'
import { type ToolContext, withModelText } from '../tool/tool.ts'

/** Non-text content of a result, stored as a blob. */
interface McpFile {
  mediaType: string
  size: number
  /** Absent if there is no blob store. */
  blob?: string
}

interface McpOutput {
  text?: string
  structuredContent?: unknown
  files?: McpFile[]
  /** A single image is shown to models with vision, like one opened with Read. */
  kind?: 'image'
  path?: string
  mediaType?: string
  size?: number
  width?: number
  height?: number
  blob?: string
}

const maxTextLength = 30_000

type ResultContext = Pick<ToolContext, 'blobs' | 'state' | 'toolCallId'>

/** Converts a call result. Returns plain text if there is nothing else. Throws if the server reports an error. */
export async function readResult(
  result: CallToolResult,
  ctx: ResultContext,
  name: string,
): Promise<string | McpOutput> {
  const read = await readBlocks(result.content, ctx)
  if (result.isError === true)
    throw new Error((await short(read.text, ctx, name)) || 'The tool failed without giving a reason.')
  return toOutput(read, result.structuredContent, ctx, name)
}

export async function readContents(
  { contents }: ReadResourceResult,
  ctx: ResultContext,
  name: string,
): Promise<string | McpOutput> {
  return toOutput(
    await readBlocks(
      contents.map((resource) => ({ type: 'resource' as const, resource })),
      ctx,
    ),
    undefined,
    ctx,
    name,
  )
}

interface Blocks {
  text: string
  files: McpFile[]
  /** Pixel size of the first image. */
  pixels?: { width: number; height: number }
}

async function toOutput(
  { text, files, pixels }: Blocks,
  structuredContent: unknown,
  ctx: ResultContext,
  name: string,
): Promise<string | McpOutput> {
  const told = text !== '' || structuredContent === undefined ? text : JSON.stringify(structuredContent)
  const modelText = (await short(told, ctx, name)) || 'The tool returned no output.'
  if (files.length === 0 && structuredContent === undefined)
    return withModelText(modelText.length < told.length ? modelText : told, modelText)
  const [only] = files.length === 1 ? files : []
  const image =
    only?.blob !== undefined && only.mediaType.startsWith('image/')
      ? { kind: 'image' as const, path: name, mediaType: only.mediaType, size: only.size, blob: only.blob, ...pixels }
      : {}
  const output: McpOutput = {
    text: text === '' ? undefined : modelText,
    structuredContent: structuredContent && bounded(structuredContent),
    files: files.length > 0 ? files : undefined,
    ...image,
  }
  return withModelText(output, modelText) as McpOutput
}

type Block = CallToolResult['content'][number]
type Contents = ReadResourceResult['contents'][number]

async function readBlocks(blocks: readonly Block[], ctx: ResultContext): Promise<Blocks> {
  const texts: string[] = []
  const files: McpFile[] = []
  let pixels: Blocks['pixels']
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block.text)
    else if (block.type === 'image' || block.type === 'audio') await keep(block.data, block.mimeType, block.type)
    else if (block.type === 'resource') await readResource(block.resource)
    else texts.push(`[resource: ${block.uri} ${block.name}]`)
  }
  return { text: texts.join('\n').toWellFormed(), files, pixels }

  async function readResource(resource: Contents): Promise<void> {
    const { uri, mimeType = 'application/octet-stream' } = resource
    if ('text' in resource) texts.push(`[resource: ${uri}]\n${resource.text}`)
    else await keep(resource.blob, mimeType, uri)
  }

  async function keep(base64: string, given: string, what: string): Promise<void> {
    const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(given) ? given.toLowerCase() : 'application/octet-stream'
    const bytes = Buffer.from(base64, 'base64')
    const kept = await ctx.blobs?.put(bytes, mediaType)
    if (mediaType.startsWith('image/')) pixels ??= imageSize(bytes, mediaType)
    files.push({ mediaType, size: bytes.length, blob: kept?.sha256 })
    const where = kept === undefined ? '' : `, stored as blob ${kept.sha256}`
    texts.push(`[${what.slice(0, 200)}: ${mediaType}, ${bytes.length} bytes${where}]`)
  }
}

async function short(text: string, ctx: ResultContext, name: string): Promise<string> {
  return text.length <= maxTextLength ? text : (await spill(ctx, text, name)).preview
}

/** The card shows it and the model has read its text, so a huge value is not stored twice. */
function bounded(value: unknown): unknown {
  return (JSON.stringify(value) ?? '').length <= maxTextLength ? value : { omitted: 'It is too long to store.' }
}

export interface PromptPicture {
  mediaType: string
  blob: string
}

const maxPromptLength = 200_000
const maxPictures = 10
const maxPictureBytes = 5 << 20

/** Joins a prompt's messages into one text, labeled by role unless all are from the user. Stores images as blobs. */
export async function readPrompt(
  { messages }: Pick<GetPromptResult, 'messages'>,
  blobs: Pick<Blobs, 'put'>,
): Promise<{ text: string; pictures: PromptPicture[] }> {
  const isDialogue = messages.some(({ role }) => role !== 'user')
  const pictures: PromptPicture[] = []
  const texts: string[] = []
  for (const { role, content } of messages) {
    const text = await blockText(content)
    texts.push(isDialogue ? `${role}: ${text}` : text)
  }
  const text = texts.join('\n\n').toWellFormed()
  if (text.length <= maxPromptLength) return { text, pictures }
  return {
    text: `${text.slice(0, maxPromptLength).toWellFormed()}\n[truncated: ${text.length - maxPromptLength} more characters]`,
    pictures,
  }

  async function blockText(block: GetPromptResult['messages'][number]['content']): Promise<string> {
    if (block.type === 'text') return block.text
    if (block.type === 'resource_link') return `[resource: ${block.uri} ${block.name}]`
    if (block.type !== 'resource') return keep(block.type, block.data, block.mimeType)
    const { resource } = block
    if ('text' in resource) return `[resource: ${resource.uri}]\n${resource.text}`
    return keep(`resource ${resource.uri}`, resource.blob, resource.mimeType ?? '')
  }

  async function keep(what: string, base64: string, mediaType: string): Promise<string> {
    const bytes = Buffer.from(base64, 'base64')
    const isPicture = /^image\/[a-z.+-]+$/.test(mediaType) && bytes.length > 0 && bytes.length <= maxPictureBytes
    if (!isPicture || pictures.length === maxPictures) return `[${what}: ${mediaType}, not included]`
    const { sha256 } = await blobs.put(bytes, mediaType)
    pictures.push({ mediaType, blob: sha256 })
    return `[${what}: ${mediaType}, image ${pictures.length} below]`
  }
}
