import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { cleanMessage } from '../protocol/clean.ts'
import type { CallNotes, Message, Part, StoredMessage } from '../protocol/message.ts'

/**
 * What the provider is sent: a pure function of stored messages. It calls no tool code; the text that a tool wants the
 * model to read was stored with its output. Whatever the messages are, the result is a request that a strict provider
 * accepts: every call is followed by exactly one result, no result without its call, no empty content, legal names.
 *
 * Files are named by `troupe-blob:<sha256>` URLs; `loadFiles` puts their bytes in.
 */
export function project(messages: readonly Pick<StoredMessage, 'role' | 'parts'>[], instructions?: string): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = []
  if (instructions !== undefined && instructions !== '') prompt.push({ role: 'system', content: instructions })
  const seenCalls = new Set<string>()
  for (const message of messages) {
    if (message.role === 'user') pushUser(prompt, userContent(message.parts))
    else if (message.role === 'assistant') pushAnswer(prompt, message.parts, seenCalls)
    else prompt.push({ role: 'system', content: plainText(message.parts) })
  }
  return prompt
}

type UserContent = (LanguageModelV4TextPart | LanguageModelV4FilePart)[]
type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content']

function pushUser(prompt: LanguageModelV4Prompt, content: UserContent): void {
  if (content.length > 0) prompt.push({ role: 'user', content })
}

function pushAnswer(prompt: LanguageModelV4Prompt, parts: readonly Part[], seenCalls: Set<string>): void {
  let content: AssistantContent = []
  let results: ToolContent = []
  const { parts: cleaned } = cleanMessage({ id: '', role: 'assistant', parts: [...parts] } as Message, { run: 'ended' })
  for (const part of cleaned) {
    if (part.type === 'step-start') flush()
    else if (part.type === 'steering-message') {
      flush()
      pushUser(prompt, userContent(part.parts))
    } else if ('toolCallId' in part) pushCall(part as unknown as CallPart)
    else pushContent(part)
  }
  flush()

  function flush(): void {
    if (content.length > 0) prompt.push({ role: 'assistant', content })
    if (results.length > 0) prompt.push({ role: 'tool', content: results })
    content = []
    results = []
  }

  function pushContent(part: Part): void {
    switch (part.type) {
      case 'text':
        if (part.text !== '') content.push({ type: 'text', text: part.text.toWellFormed(), ...options(part.providerMetadata) })
        return
      case 'reasoning':
        content.push({ type: 'reasoning', text: part.text.toWellFormed(), ...options(part.providerMetadata) })
        return
      case 'file':
        content.push(filePart(part))
        return
      case 'reasoning-file':
        content.push({ type: 'reasoning-file', mediaType: part.mediaType, data: fileData(part.url), ...options(part.providerMetadata) })
        return
      case 'custom':
        content.push({ type: 'custom', kind: part.kind, ...options(part.providerMetadata) })
        return
      default: {
        const text = dataText(part)
        if (text !== undefined) content.push({ type: 'text', text })
      }
    }
  }

  function pushCall(part: CallPart): void {
    // A second part with the same id could never be paired; ids are unique where we write them.
    if (seenCalls.has(part.toolCallId)) return
    seenCalls.add(part.toolCallId)
    const toolName = legalName(part.toolName ?? part.type.slice('tool-'.length))
    const call: LanguageModelV4ToolCallPart = {
      type: 'tool-call',
      toolCallId: part.toolCallId,
      toolName,
      input: objectInput(part.input ?? part.rawInput),
      ...(part.providerExecuted === true && { providerExecuted: true }),
      ...options(part.callProviderMetadata),
    }
    const result: LanguageModelV4ToolResultPart = {
      type: 'tool-result',
      toolCallId: part.toolCallId,
      toolName,
      output: modelOutput(part),
      ...options(part.providerExecuted === true ? (part.resultProviderMetadata ?? part.callProviderMetadata) : part.callProviderMetadata),
    }
    content.push(call)
    if (part.providerExecuted === true) content.push(result)
    else results.push(result)
  }
}

interface CallPart {
  type: string
  toolName?: string
  toolCallId: string
  state: string
  input?: unknown
  rawInput?: unknown
  output?: unknown
  errorText?: string
  providerExecuted?: boolean
  approval?: { reason?: string }
  toolMetadata?: { troupe?: CallNotes }
  callProviderMetadata?: SharedV4ProviderOptions
  resultProviderMetadata?: SharedV4ProviderOptions
}

export const deniedText = 'The person refused this call.'

function modelOutput(part: CallPart): LanguageModelV4ToolResultPart['output'] {
  if (part.state === 'output-denied') {
    const reason = part.approval?.reason
    return { type: 'error-text', value: reason === undefined || reason === '' ? deniedText : reason.toWellFormed() }
  }
  if (part.state === 'output-error') return { type: 'error-text', value: (part.errorText ?? '').toWellFormed() }
  const text = part.toolMetadata?.troupe?.modelText ?? (typeof part.output === 'string' ? part.output : undefined)
  if (text !== undefined) return { type: 'text', value: text.toWellFormed() }
  return { type: 'json', value: (part.output ?? null) as JSONValue }
}

function userContent(parts: readonly Part[]): UserContent {
  const content: UserContent = []
  for (const part of parts) {
    if (part.type === 'text') {
      if (part.text !== '') content.push({ type: 'text', text: part.text.toWellFormed(), ...options(part.providerMetadata) })
    } else if (part.type === 'file') content.push(filePart(part))
    else {
      const text = dataText(part)
      if (text !== undefined) content.push({ type: 'text', text })
    }
  }
  return content
}

/** Data parts are for people; only those that carry words for the model are told to it. */
function dataText(part: Part): string | undefined {
  if (part.type !== 'data-skill') return undefined
  const { name, path, content } = part.data as { name: string; path: string; content: string }
  const escape = (text: string): string => text.replaceAll('</skill', '<\\/skill')
  return `<skill name=${JSON.stringify(name)} path=${JSON.stringify(path)}>\n${escape(content)}\n</skill>`
}

function filePart(part: { mediaType: string; url: string; filename?: string; providerMetadata?: SharedV4ProviderOptions }): LanguageModelV4FilePart {
  return {
    type: 'file',
    mediaType: part.mediaType,
    ...(part.filename !== undefined && { filename: part.filename }),
    data: fileData(part.url),
    ...options(part.providerMetadata),
  }
}

function fileData(url: string): { type: 'url'; url: URL } {
  const sha256 = blobHash(url)
  return { type: 'url', url: new URL(sha256 === undefined ? (URL.canParse(url) ? url : 'troupe-blob:missing') : `troupe-blob:${sha256}`) }
}

/** The hash in a blob's address as messages hold it. */
export function blobHash(url: string): string | undefined {
  return /^\/ai\/blobs\/([0-9a-f]{64})$/.exec(url)?.[1]
}

function plainText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** Strict providers take only objects as input; a string is what `string` tools were given. */
function objectInput(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input: input ?? '' }
}

function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}

function options(metadata: unknown): { providerOptions?: SharedV4ProviderOptions } {
  return metadata === undefined || metadata === null ? {} : { providerOptions: metadata as SharedV4ProviderOptions }
}
