import { NamedError, wireMessageSchema, type Blobs, type Part } from '@troupe/core'

/**
 * A user message as it is stored: text, files as blobs, data parts. Bytes that come inline become blobs, addresses that
 * point elsewhere are refused: nobody fetches for a client.
 */
export async function parseUserMessage(value: unknown, blobs: Blobs): Promise<{ id: string; parts: Part[] }> {
  const parsed = wireMessageSchema.safeParse(value)
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.map(String).join('.') || 'message'}: ${issue.message}`)
    throw new NamedError('BadRequest', `The message is not valid. ${issues.slice(0, 5).join('; ')}.`)
  }
  const { id, role, parts } = parsed.data
  if (role !== 'user') throw new NamedError('BadRequest', `The last message must be the user's; its role is "${role}".`)
  const stored: Part[] = []
  for (const part of parts) stored.push(await parsePart(part, blobs))
  if (!stored.some((part) => (part.type === 'text' ? part.text.trim() !== '' : true))) throw new NamedError('BadRequest', 'The message is empty.')
  return { id, parts: stored }
}

async function parsePart(part: Record<string, unknown> & { type: string }, blobs: Blobs): Promise<Part> {
  if (part.type === 'text' && typeof part['text'] === 'string') return { type: 'text', text: part['text'] }
  if (part.type === 'file' && typeof part['url'] === 'string' && typeof part['mediaType'] === 'string') {
    const name = typeof part['filename'] === 'string' ? { filename: part['filename'].slice(0, 255) } : {}
    return { type: 'file', mediaType: part['mediaType'].slice(0, 200), ...name, url: await blobUrl(part['url'], part['mediaType'], blobs) }
  }
  if (/^data-[a-z0-9-]{1,64}$/.test(part.type) && part['data'] !== undefined) {
    return { type: part.type as 'data-x', data: part['data'] } as Part
  }
  throw new NamedError('BadRequest', `A user message cannot hold a part of type "${part.type.slice(0, 80)}", or it lacks a field.`)
}

async function blobUrl(url: string, mediaType: string, blobs: Blobs): Promise<string> {
  const known = /^(?:https?:\/\/[^/]+)?\/ai\/blobs\/([0-9a-f]{64})$/.exec(url)?.[1]
  if (known !== undefined) {
    if ((await blobs.get(known)) === undefined) throw new NamedError('BlobNotFound', 'The message names an attachment that was not uploaded.', { status: 404, data: { sha256: known } })
    return `/ai/blobs/${known}`
  }
  const inline = /^data:[^,]*?(;base64)?,/.exec(url)
  if (inline === null) throw new NamedError('BadRequest', 'A file is sent inline (data:) or as an uploaded blob (/ai/blobs/…), not as an address.')
  const body = url.slice(inline[0].length)
  const bytes = inline[1] === undefined ? Buffer.from(decodeURIComponent(body)) : Buffer.from(body, 'base64')
  return `/ai/blobs/${(await blobs.put(bytes, mediaType)).sha256}`
}
