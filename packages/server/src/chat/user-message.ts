import {
  isId,
  extractUrls,
  type Metadata,
  NamedError,
  normalizeUrl,
  type Part,
  type StoredMessage,
  wireMessageSchema,
} from '@troupe/protocol'
import { createHash, createHmac } from 'node:crypto'
import type { Blobs } from '@troupe/core'

/** A user message ready to store: text, files as blobs, data parts. */
export interface UserMessage {
  id: string
  parts: Part[]
  /** Inline bytes. `storeUploads` converts them to blobs. */
  uploads: { bytes: Uint8Array; mediaType: string }[]
  /** Hashes of blobs that must already exist. */
  named: string[]
}

/** Pure: performs no I/O. Rejects external URLs, because the server does not fetch on behalf of clients. */
export function parseUserMessage(value: unknown): UserMessage {
  const parsed = wireMessageSchema.safeParse(value)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      (issue) => `${issue.path.map(String).join('.') || 'message'}: ${issue.message}`,
    )
    throw badMessage(`The message is invalid. ${issues.slice(0, 5).join('; ')}.`)
  }
  const { id, role, parts } = parsed.data
  if (role !== 'user') throw badMessage(`The last message must be the user's; its role is "${role}".`)
  const message: UserMessage = { id, parts: [], uploads: [], named: [] }
  for (const part of parts) if (!generatedParts.test(part.type)) message.parts.push(parsePart(part, message))
  const empty = message.parts.every((part) => part.type === 'text' && part.text.trim() === '')
  if (empty) throw badMessage('The message is empty.')
  return message
}

/** Parts generated from references in a message. Ignored if a client sends them back. */
const generatedParts = /^data-(skill|command|mention|hint)$/

export function writtenParts(parts: readonly Part[]): Part[] {
  return parts.filter(({ type }) => !generatedParts.test(type))
}

/** Throws `BlobNotFound` for an attachment that was never uploaded. */
export async function checkAttachments(message: UserMessage, blobs: Blobs): Promise<void> {
  for (const sha256 of message.named) {
    if ((await blobs.get(sha256)) !== undefined) continue
    const text = 'The message refers to an attachment that was not uploaded.'
    throw new NamedError('BlobNotFound', text, { status: 404, data: { sha256 } })
  }
}

export async function storeUploads(message: UserMessage, blobs: Blobs): Promise<void> {
  for (const { bytes, mediaType } of message.uploads) await blobs.put(bytes, mediaType)
}

function parsePart(part: Record<string, unknown> & { type: string }, message: UserMessage): Part {
  const { type, text, url, mediaType, filename, data } = part
  if (type === 'text' && typeof text === 'string') return { type, text }
  if (type === 'file' && typeof url === 'string' && typeof mediaType === 'string') {
    if (!mediaTypePattern.test(mediaType)) throw badMessage(`"${mediaType.slice(0, 80)}" is not a media type.`)
    const name = typeof filename === 'string' ? { filename: filename.slice(0, 255) } : {}
    return { type, mediaType, ...name, url: `/ai/blobs/${parseBlob(url, mediaType, message)}` }
  }
  if (/^data-[a-z0-9-]{1,64}$/.test(type) && data !== undefined) return { type: type as 'data-x', data }
  throw badMessage(`A user message cannot contain a part of type "${type.slice(0, 80)}", or a field is missing.`)
}

const mediaTypePattern = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(;[\x20-\x7e]{0,100})?$/

function parseBlob(url: string, mediaType: string, message: UserMessage): string {
  const known = /^(?:https?:\/\/[^/]+)?\/ai\/blobs\/([0-9a-f]{64})$/.exec(url)?.[1]
  if (known !== undefined) {
    message.named.push(known)
    return known
  }
  const bytes = inlineBytes(url)
  message.uploads.push({ bytes, mediaType })
  return createHash('sha256').update(bytes).digest('hex')
}

function inlineBytes(url: string): Uint8Array {
  const comma = url.indexOf(',')
  if (!url.startsWith('data:') || comma === -1) {
    throw badMessage('Send a file inline (data:) or as an uploaded blob (/ai/blobs/…), not as a URL.')
  }
  const body = url.slice(comma + 1)
  const bytes = /;\s*base64$/i.test(url.slice(0, Math.min(comma, 1000))) ? base64Bytes(body) : percentBytes(body)
  if (bytes.length === 0) throw badMessage('A file in the message is empty.')
  return bytes
}

function base64Bytes(body: string): Uint8Array {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(body)) throw badMessage('A file in the message is not valid base64.')
  return Buffer.from(body, 'base64')
}

function percentBytes(body: string): Uint8Array {
  try {
    return Buffer.from(decodeURIComponent(body))
  } catch {
    throw badMessage('A file in the message is not a valid data: URL.')
  }
}

function badMessage(message: string): NamedError {
  return new NamedError('BadRequest', message)
}

/**
 * Addresses the user typed, stored with the message. They are signed for one message of one session, so forks, imports
 * and copies do not inherit them.
 */
export interface TypedAddresses {
  /** Returns undefined if no address was typed. */
  seal(at: MessageRef, parts: readonly Part[], claimed: readonly string[] | undefined): Metadata['typed'] | undefined
  read(sessionId: string, message: Pick<StoredMessage, 'id' | 'role' | 'metadata'>): string[]
}

interface MessageRef {
  sessionId: string
  messageId: string
}

export function createTypedAddresses(secret: string): TypedAddresses {
  const key = createHmac('sha256', secret).update('typed addresses').digest()
  const sealOf = ({ sessionId, messageId }: MessageRef, addresses: readonly string[]): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([sessionId, messageId, addresses]))
      .digest('base64url')
  return {
    seal(at, parts, claimed) {
      const addresses = parts.flatMap((part) => (part.type === 'text' ? claimedAddresses(part.text, claimed) : []))
      return addresses.length === 0 ? undefined : { addresses, seal: sealOf(at, addresses) }
    },
    read(sessionId, { id, role, metadata }) {
      const typed = role === 'user' ? metadata?.typed : undefined
      return typed?.seal === undefined || typed.seal !== sealOf({ sessionId, messageId: id }, typed.addresses)
        ? []
        : typed.addresses
    },
  }
}

/** Returns the addresses claimed as typed that occur in the text outside quotes. */
export function claimedAddresses(text: string, claimed: readonly string[] | undefined): string[] {
  if (claimed === undefined || claimed.length === 0) return []
  const wanted = new Set(claimed.map((address) => normalizeUrl(address)))
  return extractUrls(text).filter((address) => wanted.has(address))
}

export interface WireAnswer {
  id: string
  parts: unknown[]
}

export function isAnswer(message: unknown): message is WireAnswer {
  if (typeof message !== 'object' || message === null) return false
  const { role, parts, id } = message as { role?: unknown; parts?: unknown; id?: unknown }
  return role === 'assistant' && Array.isArray(parts) && isId(id)
}
