import { createHash } from 'node:crypto'
import type { Store } from '@troupe/core'
import { type ChatRequest, type Chunk, isId, NamedError, type Part } from '@troupe/protocol'
import { checkRule, type RuleTexts } from '../permission/rule-layers.ts'
import type { RunRequest } from '../runs/run-manager.ts'
import { parseUserMessage, type UserMessage, writtenParts } from './user-message.ts'

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

export function runRequest(request: ChatRequest, model: string, opening: Chunk[] = []): RunRequest {
  return {
    model,
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
