import type { GetPromptResult } from '@modelcontextprotocol/client'
import type { Blobs } from '../blobs.ts'

/** A picture that a prompt came with, kept as a blob. */
export interface PromptPicture {
  mediaType: string
  blob: string
}

const maxPromptLength = 200_000
const maxPictures = 10
const maxPictureBytes = 5 << 20

/** The messages of a prompt as one text; who speaks is said where that is not the person alone. Pictures are kept. */
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
    text: `${text.slice(0, maxPromptLength).toWellFormed()}\n[cut: ${text.length - maxPromptLength} characters more]`,
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
    if (!isPicture || pictures.length === maxPictures) return `[${what}: ${mediaType}, not brought in]`
    const { sha256 } = await blobs.put(bytes, mediaType)
    pictures.push({ mediaType, blob: sha256 })
    return `[${what}: ${mediaType}, picture ${pictures.length} below]`
  }
}
