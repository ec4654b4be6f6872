import { dataParts, type DataParts, newId, type Part, type StoredMessage } from '@troupe/protocol'
import { valuesAt } from '../json/path.ts'
import { attachmentParts, renderBody, renderMain } from '../prompt/render-prompt.ts'
import { isEmpty, slotName, type Slots } from '../prompt/slots.ts'
import type { TurnEnd, TurnResult } from '../turn/turn.ts'

export interface WindowLimits {
  /** In characters of text. */
  maxLength?: number
  maxMessages?: number
}

export interface WindowState {
  /** Messages the next turn would see, oldest first. */
  messages: readonly StoredMessage[]
  memo: string
  length: number
}

/**
 * Returns the number of newest messages to keep and the memo of all dropped ones. If it returns nothing, the oldest are
 * dropped as needed.
 */
export type Resize = (state: WindowState) => ResizeResult | Promise<ResizeResult>
export type ResizeResult = { keep: number; memo?: string } | undefined

export function openWindow(
  history: readonly StoredMessage[],
  limits: WindowLimits = {},
): { messages: StoredMessage[]; memo: string } {
  const { memo, messages } = messagesSinceMemo(history)
  let from = Math.max(0, messages.length - (limits.maxMessages ?? Infinity))
  let length = textLength(messages.slice(from))
  while (from < messages.length && length > (limits.maxLength ?? Infinity))
    length -= textLength([messages[from++] as StoredMessage])
  return { messages: messages.slice(from), memo }
}

/**
 * Calls the handler if the window is exceeded. Returns the last message with the decision as the workspace's own
 * `data-compaction` part. The message tree is unchanged.
 */
export async function resizeWindow(
  history: readonly StoredMessage[],
  limits: WindowLimits = {},
  resize?: Resize,
): Promise<StoredMessage> {
  const last = history.at(-1) as StoredMessage
  const { memo, messages } = messagesSinceMemo(history)
  const length = textLength(messages)
  const isOver = length > (limits.maxLength ?? Infinity) || messages.length > (limits.maxMessages ?? Infinity)
  if (resize === undefined || !isOver) return last
  const resized = await resize({ messages, memo, length })
  const gone = resized === undefined ? undefined : messages[messages.length - 1 - Math.max(0, resized.keep)]
  if (resized === undefined || gone === undefined) return last
  const compaction = {
    id: newId(),
    upTo: { messageId: gone.id, step: countSteps(gone) },
    summary: resized.memo ?? memo,
  }
  return { ...last, parts: [...last.parts, { type: 'data-compaction', id: compaction.id, data: compaction } as Part] }
}

/** The newest enabled compaction holds the memo and the start of the remaining messages. */
function messagesSinceMemo(history: readonly StoredMessage[]): { memo: string; messages: StoredMessage[] } {
  const compactions = new Map<string, DataParts['compaction']>()
  for (const part of history.flatMap(({ parts }) => parts)) {
    const data = part.type === 'data-compaction' ? dataParts.compaction.schema.safeParse(part.data).data : undefined
    if (data !== undefined) compactions.set(data.id, data)
  }
  const compaction = [...compactions.values()].findLast(({ off }) => off !== true)
  if (compaction === undefined) return { memo: '', messages: [...history] }
  const from = history.findIndex(({ id }) => id === compaction.upTo.messageId) + 1
  return { memo: compaction.summary, messages: history.slice(from) }
}

function textLength(messages: readonly StoredMessage[]): number {
  let length = 0
  for (const { parts } of messages) for (const part of parts) if (part.type === 'text') length += part.text.length
  return length
}

function countSteps({ parts }: StoredMessage): number {
  return parts.filter((part) => part.type === 'step-start').length
}

export type RecordMode = 'first' | 'all'

export interface Recording {
  paths: readonly string[]
  mode: RecordMode
}

/** Attachments stay files. They are recorded by default, or if the slot itself is among the paths. */
export function recordedInput(prompt: Slots, { paths, mode }: Recording, parent: string | null): StoredMessage {
  const named = paths.map((path) => path.replace(/^[^./[]+/, slotName))
  const { output: _, attachment, ...slots } = prompt
  const files = paths.length === 0 || named.includes('attachment') ? attachmentParts(prompt) : []
  const others = named.filter((path) => path !== 'attachment')
  const chosen = selectRecorded({ ...slots, attachment }, { paths: others, mode })
  if (chosen === undefined && files.length > 0 && others.length < named.length) return newMessage('user', parent, files)
  const text = chosen ?? (isEmpty(slots.input) ? renderMain(slots, undefined) : renderBody(slots.input))
  const texts: Part[] = text === '' && files.length > 0 ? [] : [{ type: 'text', text }]
  return newMessage('user', parent, [...texts, ...files])
}

export function recordedOutput({ result }: TurnEnd, recording: Recording, parent: string): StoredMessage {
  const { data, message: answer } = result as TurnResult<unknown>
  const chosen = selectRecorded(data, recording)
  const parts = chosen === undefined ? answer.parts : [{ type: 'text' as const, text: chosen }]
  return {
    ...newMessage('assistant', parent, parts),
    metadata: answer.metadata,
  }
}

/** Returns the values at the paths as text: one value as is, several as YAML by path. Undefined if there are none. */
function selectRecorded(value: unknown, { paths, mode }: Recording): string | undefined {
  const found = paths.flatMap((path) => {
    const values = valuesAt(value, path).filter((entry) => entry.value !== undefined)
    if (values.length === 0) return []
    return [[path, values.length === 1 ? values[0]?.value : values.map((entry) => entry.value)] as const]
  })
  const [first] = found
  if (first === undefined) return undefined
  return renderBody(mode === 'first' || paths.length === 1 ? first[1] : Object.fromEntries(found))
}

function newMessage(role: 'user' | 'assistant', parentMessageId: string | null, parts: Part[]): StoredMessage {
  return { id: newId(), parentMessageId, role, parts, createdAt: Date.now() }
}
