import { createHash, createHmac } from 'node:crypto'
import type { Blobs, Store } from '@troupe/core'
import {
  type ChatRequest,
  type Chunk,
  extractUrls,
  isId,
  type Metadata,
  NamedError,
  normalizeUrl,
  type Part,
  type StoredMessage,
  wireMessageSchema,
} from '@troupe/protocol'
import type { RuleTexts } from '../permission/rule-layers.ts'
import { checkRule } from '../permission/rule-registry.ts'
import type { RunRequest } from '../runs/run-manager.ts'

/** Returns `parentMessageId`, else the preceding message if stored, else the current leaf. */
export async function resolveParent(
  request: ChatRequest,
  at: { sessionId: string },
  store: Store,
): Promise<string | null> {
  const { parentMessageId } = request
  if (parentMessageId === null) return null
  if (parentMessageId !== undefined) {
    if ((await store.messages.get(at, parentMessageId)) !== undefined) return parentMessageId
    throw new NamedError('MessageNotFound', 'The parent message is not in this chat.', {
      status: 404,
      data: { messageId: parentMessageId },
    })
  }
  const before = incomingId(request.messages?.at(-2))
  const stored = before === undefined ? undefined : await storedId(before, request, at, store)
  return stored ?? (await store.messages.latestLeaf(at)) ?? null
}

/** Returns the stored id of a client's message copy. After an edit, the copy still has the old id. */
export async function storedId(
  id: string,
  request: ChatRequest,
  at: { sessionId: string },
  store: Store,
): Promise<string | undefined> {
  const known = await store.messages.get(at, id)
  const copy = request.messages?.find((message) => incomingId(message) === id)
  if (known?.role !== 'user' || copy === undefined) return known?.id
  try {
    const message = parseUserMessage(copy)
    if (equalParts(writtenParts(known.parts), message.parts)) return id
    return (await store.messages.get(at, editId(message)))?.id ?? id
  } catch {
    // The copy is unreadable, so use its id.
    return id
  }
}

/** Derives the id from the content, so resending an edit is a retry, not another branch. */
export function editId({ id, parts }: UserMessage): string {
  return `msg_${createHash('sha256')
    .update(`${id}\n${JSON.stringify(parts)}`)
    .digest('hex')
    .slice(0, 32)}`
}

/** Returns the new message. The SDK client names it if it is not the last one. */
export function newMessage({ message, messages, messageId }: ChatRequest): unknown {
  if (message !== undefined) return message
  return (
    messages?.find((candidate) => messageId !== undefined && incomingId(candidate) === messageId) ?? messages?.at(-1)
  )
}

export function runRequest(
  request: ChatRequest,
  model: string,
  { opening = [], ...from }: { opening?: Chunk[] } & Pick<RunRequest, 'person' | 'requestId'> = {},
): RunRequest {
  return {
    model,
    ...from,
    agent: request.agent,
    client: request.clientId,
    tab: request.tabId,
    page: request.pageId,
    headless: request.headless || undefined,
    rules: request.rules && ruleTexts(request.rules),
    limits: request.maxSteps === undefined ? undefined : { steps: request.maxSteps },
    // A copy of its exact size, since it stays in memory as long as the run.
    opening: opening.length > 0 ? [...opening] : undefined,
  }
}

export function ruleTexts(rules: NonNullable<ChatRequest['rules']>): RuleTexts {
  const entries = Object.entries(rules).map(([effect, texts]) => [effect, (texts ?? []).map(checkRule)])
  return Object.fromEntries(entries) as RuleTexts
}

/** Also accepts the legacy field name. */
export function requestedModel(request: ChatRequest): string | undefined {
  return request.model ?? request.chatModelId
}

export function incomingId(message: unknown): string | undefined {
  const id = (message as { id?: unknown } | null | undefined)?.id
  return isId(id) ? id : undefined
}

export function equalParts(a: readonly Part[], b: readonly Part[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

export function badRequest(message: string): NamedError {
  return new NamedError('BadRequest', message)
}

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

/** False for most messages, which saves looking for the command. */
export function mayBeCommand(parts: readonly Part[]): boolean {
  return parts.find((part) => part.type === 'text')?.text.includes('/') === true
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

/** Hashes of the files in a message. */
export function blobsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) =>
    part.type === 'file' && part.url.startsWith('/ai/blobs/') ? [part.url.slice(10)] : [],
  )
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
