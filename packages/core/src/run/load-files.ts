import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Blobs } from '../blobs.ts'
import { unknownType } from './project-file.ts'

/** Puts the bytes of blobs into a prompt, just before the call. A blob that is gone is said in words. */
export async function loadFiles(
  prompt: LanguageModelV4Prompt,
  blobs: Pick<Blobs, 'get'> | undefined,
): Promise<LanguageModelV4Prompt> {
  if (!prompt.some((message) => message.role !== 'system' && message.content.some(isBlob))) return prompt
  const loaded: LanguageModelV4Prompt = []
  for (const message of prompt) {
    if (message.role === 'system' || !message.content.some(isBlob)) {
      loaded.push(message)
      continue
    }
    const content = await Promise.all(message.content.map((part) => loadPart(part, blobs)))
    loaded.push({ ...message, content } as typeof message)
  }
  return loaded
}

type Content = Exclude<LanguageModelV4Prompt[number], { role: 'system' }>['content'][number]
type File = Extract<Content, { type: 'file' | 'reasoning-file' }> & { data: { type: 'url' } }

function isBlob(part: Content): part is File {
  if (part.type !== 'file' && part.type !== 'reasoning-file') return false
  return part.data.type === 'url' && part.data.url.protocol === 'troupe-blob:'
}

async function loadPart(part: Content, blobs: Pick<Blobs, 'get'> | undefined): Promise<Content> {
  if (!isBlob(part)) return part
  const sha256 = part.data.url.pathname
  const blob = /^[0-9a-f]{64}$/.test(sha256) ? await blobs?.get(sha256) : undefined
  if (blob === undefined || blob.bytes.length === 0) {
    return { type: 'text', text: '[An attachment stood here; its file is no longer there.]' }
  }
  const mediaType = part.mediaType === unknownType ? blob.mediaType : part.mediaType
  return { ...part, mediaType, data: { type: 'data', data: blob.bytes } }
}
