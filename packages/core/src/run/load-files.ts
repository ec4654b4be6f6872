import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Blobs } from '../blobs.ts'

/** Puts the bytes of blobs into a prompt, just before the call. A blob that is gone is said in words. */
export async function loadFiles(prompt: LanguageModelV4Prompt, blobs: Blobs | undefined): Promise<LanguageModelV4Prompt> {
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

function isBlob(part: Content): boolean {
  return (part.type === 'file' || part.type === 'reasoning-file') && part.data.type === 'url' && part.data.url.protocol === 'troupe-blob:'
}

async function loadPart(part: Content, blobs: Blobs | undefined): Promise<Content> {
  if (!isBlob(part) || (part.type !== 'file' && part.type !== 'reasoning-file') || part.data.type !== 'url') return part
  const blob = await blobs?.get(part.data.url.pathname)
  if (blob === undefined) return { type: 'text', text: '[An attachment stood here; its file is no longer there.]' }
  return { ...part, data: { type: 'data', data: blob.bytes } } as Content
}
