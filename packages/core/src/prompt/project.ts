import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { type CallNotes, cleanMessage, dataParts, isRefusedAnswer, type Metadata, type Part } from '@troupe/protocol'
import { isTagged } from '../model/think-tags.ts'
import { applyCompactions, applyTrim, type PromptMessage } from './apply-compactions.ts'
import {
  descriptionBlock,
  imagesOf,
  mentionBlock,
  skillBlock,
  wrapBlock,
  type ImageDescription,
} from './prompt-blocks.ts'
import { projectFile, projectReadFiles, projectReasoningFile, type ReadFiles } from './prompt-files.ts'
import type { FileKind } from './inline-file.ts'
import { wellFormed } from '../text/format.ts'

export { blobHash } from './prompt-files.ts'

/**
 * Converts stored messages to the provider's prompt. Pure: calls no tool code, since a tool's text for the model is
 * stored with its output. For any input, the result is a request that a strict provider accepts: exactly one result
 * after each tool call, no result without its call, no empty content, legal names, alternating user and assistant. A
 * compacted chat starts with its summary.
 *
 * Files are referenced by `troupe-blob:<sha256>` URLs; `loadFiles` inserts their bytes.
 */
export function project(
  stored: readonly PromptMessage[],
  instructions?: string,
  /** Absent if unknown: attached images and PDFs are tried. */
  takes?: readonly FileKind[],
  reader?: PromptReader,
  /** The provider paused its answer and must get it back unchanged. */
  isPaused = false,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = []
  const system = instructions === undefined ? [] : [instructions]
  const takenIds = new Set<string>()
  const messages = applyCompactions(applyTrim(stored))
  const isUnseen = takes?.includes('image') !== true
  const descriptions = isUnseen ? descriptionsIn(stored) : undefined
  const describe = (sha256: string): string | undefined => {
    const found = descriptions?.get(sha256)
    return found && descriptionBlock(found)
  }
  const readFiles = projectReadFiles(messages, takes ?? [], describe)
  const attached = takes === undefined ? userContent : withDescriptions(describe)
  for (const { role, parts, metadata } of messages) {
    if (role === 'assistant')
      pushAnswer(prompt, parts, { takenIds, readFiles, ownership: ownership(metadata, reader), attached })
    else if (role === 'system' && prompt.length === 0) system.push(plainText(parts))
    else pushUser(prompt, attached(parts), emptyMessageText)
  }
  if (prompt[0]?.role === 'assistant')
    prompt.unshift({ role: 'user', content: [{ type: 'text', text: emptyMessageText }] })
  if (prompt.at(-1)?.role !== 'tool' && !(isPaused && prompt.at(-1)?.role === 'assistant'))
    pushUser(prompt, [], prompt.length === 0 ? emptyMessageText : continueText)
  const text = system.filter((one) => !isBlank(one)).join('\n\n')
  if (text !== '') prompt.unshift({ role: 'system', content: text.toWellFormed() })
  return prompt
}

/**
 * Recipient of the prompt. Provider data in answers (item IDs, signatures, encrypted reasoning) goes back only to the
 * endpoint and account it came from. A `stranger` gets texts, calls, and results, but no reasoning.
 */
type PromptReader = { id: string; source?: string } | 'stranger'

type Ownership = 'own' | 'foreign' | 'stranger'

function ownership(metadata: Metadata | undefined, reader: PromptReader | undefined): Ownership {
  if (reader === 'stranger') return 'stranger'
  const { model, source } = metadata ?? {}
  // Unknown author: a program's messages, which have a single model.
  if (reader === undefined || (model === undefined && source === undefined)) return 'own'
  if (source !== undefined && reader.source !== undefined) return source === reader.source ? 'own' : 'foreign'
  return model?.split('/')[0] === reader.id.split('/')[0] ? 'own' : 'foreign'
}

/** Replaces a user message with nothing for the model to read, which keeps the roles alternating. */
const emptyMessageText = '[No text.]'

/** The last answer was cut off with no message since, so it should continue. */
const continueText = '[Your answer was cut off here. Continue from exactly this point without repeating anything.]'

type UserContent = (LanguageModelV4TextPart | LanguageModelV4FilePart)[]
type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content']

/** Merges adjacent messages of one role, since some providers reject two in a row. */
function pushUser(prompt: LanguageModelV4Prompt, content: UserContent, otherwise?: string): void {
  const last = prompt.at(-1)
  if (last?.role === 'user') last.content.push(...content)
  else if (content.length > 0) prompt.push({ role: 'user', content })
  else if (otherwise !== undefined) prompt.push({ role: 'user', content: [{ type: 'text', text: otherwise }] })
}

function pushAssistant(prompt: LanguageModelV4Prompt, content: AssistantContent): void {
  // Trailing reasoning was cut off, and providers reject it.
  const end = content.findLastIndex((part) => part.type !== 'reasoning' && part.type !== 'reasoning-file') + 1
  if (end === 0) return
  const last = prompt.at(-1)
  if (last?.role === 'assistant') last.content.push(...content.slice(0, end))
  else prompt.push({ role: 'assistant', content: content.slice(0, end) })
}

interface AnswerContext {
  takenIds: Set<string>
  readFiles: ReadFiles
  ownership: Ownership
  attached: typeof userContent
}

function pushAnswer(
  prompt: LanguageModelV4Prompt,
  parts: readonly Part[],
  { takenIds, readFiles, ownership, attached }: AnswerContext,
): void {
  const options = ownership === 'own' ? ownOptions : () => ({})
  let content: AssistantContent = []
  let results: ToolContent = []
  let files: UserContent = []
  const { parts: cleaned } = cleanMessage({ id: '', role: 'assistant', parts: [...parts] }, { run: 'ended' })
  for (const [index, part] of cleaned.entries()) {
    if (part.type === 'step-start') flush()
    else if (part.type === 'steering-message') {
      flush()
      pushUser(prompt, attached([...attachedParts(cleaned, index), ...part.parts]))
    } else if ('toolCallId' in part) pushCall(part)
    else pushContent(part)
  }
  flush()

  function flush(): void {
    pushAssistant(prompt, content)
    if (results.length > 0) prompt.push({ role: 'tool', content: results })
    pushUser(prompt, files)
    content = []
    results = []
    files = []
  }

  function pushContent(part: Part): void {
    switch (part.type) {
      case 'text':
        content.push(...textParts(part, options))
        return
      case 'reasoning':
        if (ownership === 'stranger' || isTagged(part.providerMetadata)) return
        if (isBlank(part.text) && (part.providerMetadata === undefined || ownership === 'foreign')) return
        content.push({ type: 'reasoning', text: part.text.toWellFormed(), ...options(part.providerMetadata) })
        return
      case 'file':
        content.push({ type: 'file', ...projectFile(part), ...options(part.providerMetadata) })
        return
      case 'reasoning-file':
        content.push({ type: 'reasoning-file', ...projectReasoningFile(part), ...options(part.providerMetadata) })
        return
      case 'custom':
        if (ownership !== 'own') return
        content.push({ type: 'custom', kind: part.kind, ...options(part.providerMetadata) })
        return
      default:
      // All other parts are for people.
    }
  }

  function pushCall(part: CallPart): void {
    const own = part.providerExecuted === true
    // Only the provider that ran the call knows it. The text tells its outcome.
    if (own && ownership !== 'own') return
    files.push(...readFiles.content(part))
    const named = {
      toolCallId: uniqueId(part.toolCallId, takenIds),
      toolName: legalName(part.toolName ?? part.type.slice('tool-'.length)),
    }
    content.push({
      type: 'tool-call',
      ...named,
      input: wellFormed(objectInput(part.input)),
      ...(own && { providerExecuted: true }),
      ...options(
        part.callProviderMetadata ?? (part.state === 'output-error' ? part.resultProviderMetadata : undefined),
      ),
    })
    const metadata = own ? (part.resultProviderMetadata ?? part.callProviderMetadata) : part.callProviderMetadata
    const result: LanguageModelV4ToolResultPart = {
      type: 'tool-result',
      ...named,
      output: modelOutput(part, readFiles.note(part)),
      ...options(metadata),
    }
    if (own) content.push(result)
    else results.push(result)
  }
}

interface CallPart {
  type: string
  toolName?: string
  toolCallId: string
  state: string
  input?: unknown
  output?: unknown
  errorText?: string
  providerExecuted?: boolean
  approval?: { reason?: string; isAutomatic?: boolean }
  toolMetadata?: { troupe?: CallNotes }
  callProviderMetadata?: SharedV4ProviderOptions
  resultProviderMetadata?: SharedV4ProviderOptions
}

const deniedText = 'The user denied this tool call.'

/** A remark by the person is quoted as theirs, not as a rule's reason. */
function deniedReason(approval: CallPart['approval']): string | undefined {
  const { reason, isAutomatic } = approval ?? {}
  if (reason === undefined || isBlank(reason) || isAutomatic === true || isRefusedAnswer(reason)) return reason
  return `Denied. The user said: ${reason}`
}

function modelOutput(part: CallPart, note: string | undefined): LanguageModelV4ToolResultPart['output'] {
  if (part.state === 'output-denied') return failure(part, deniedReason(part.approval), deniedText)
  if (part.state === 'output-error')
    return failure(part, part.errorText, 'The tool call failed without giving a reason.')
  const { modelText } = part.toolMetadata?.troupe ?? {}
  const text = typeof modelText === 'string' ? modelText : part.output
  if (typeof text !== 'string') return { type: 'json', value: wellFormed((part.output ?? null) as JSONValue) }
  return { type: 'text', value: (note === undefined ? text : `${text} ${note}`).toWellFormed() }
}

/** Results of provider-executed tools go back in their original form. */
function failure(part: CallPart, text: string | undefined, otherwise: string): LanguageModelV4ToolResultPart['output'] {
  const value = text === undefined || isBlank(text) ? otherwise : text.toWellFormed()
  return { type: part.providerExecuted === true ? 'error-json' : 'error-text', value }
}

function userContent(parts: readonly Part[]): UserContent {
  return parts.flatMap((part): UserContent => {
    if (part.type === 'text') return textParts(part)
    if (part.type === 'file') return [{ type: 'file', ...projectFile(part), ...ownOptions(part.providerMetadata) }]
    return [...dataText(part), ...pictures(part)]
  })
}

/** Adds a description for each image that the model cannot see. */
function withDescriptions(describe: (sha256: string) => string | undefined): typeof userContent {
  return (parts) =>
    parts.flatMap((part) => [
      ...userContent([part]),
      ...imagesOf(part).flatMap(({ sha256 }): UserContent => {
        const text = describe(sha256)
        return text === undefined ? [] : [{ type: 'text', text }]
      }),
    ])
}

/** Parts attached to a message in the middle of an answer follow that message. */
function attachedParts(parts: readonly Part[], index: number): readonly Part[] {
  const after = parts.slice(index + 1)
  const end = after.findIndex((part) => !/^data-(skill|command|mention)$/.test(part.type))
  return end === -1 ? after : after.slice(0, end)
}

function textParts(
  { text, providerMetadata }: Extract<Part, { type: 'text' }>,
  options = ownOptions,
): LanguageModelV4TextPart[] {
  return isBlank(text) ? [] : [{ type: 'text', text: text.toWellFormed(), ...options(providerMetadata) }]
}

/** Data parts are for people. Only those with text for the model are sent. */
function dataText(part: Part): LanguageModelV4TextPart[] {
  const text = blockText(part)
  return text === undefined ? [] : [{ type: 'text', text }]
}

function pictures(part: Part): LanguageModelV4FilePart[] {
  if (part.type !== 'data-command') return []
  const { data } = dataParts.command.schema.safeParse(part.data)
  return (data?.pictures ?? []).map(({ mediaType, blob }) => ({
    type: 'file',
    ...projectFile({ mediaType, url: `/ai/blobs/${blob}` }),
  }))
}

function blockText(part: Part): string | undefined {
  if (part.type === 'data-skill') {
    const { data } = dataParts.skill.schema.safeParse(part.data)
    return data === undefined ? undefined : skillBlock(data)
  }
  if (part.type === 'data-command') {
    const { data } = dataParts.command.schema.safeParse(part.data)
    if (data === undefined) return undefined
    // A server's text must not pass as the person's own words.
    return wrapBlock(data.scope === 'mcp' ? 'mcp-prompt' : 'person-command', { name: data.name }, data.content)
  }
  if (part.type !== 'data-mention') return undefined
  const { data } = dataParts.mention.schema.safeParse(part.data)
  return data === undefined ? undefined : mentionBlock(data)
}

function plainText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** Strict providers accept only objects as input. `string` tools were given a string. */
function objectInput(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input: input ?? '' }
}

function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}

/** Our own IDs are legal and unique, but imported ones may not be. */
function uniqueId(id: string, taken: Set<string>): string {
  const legal = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'call'
  let free = legal
  for (let n = 2; taken.has(free); n++) free = `${legal.slice(0, 56)}_${n}`
  taken.add(free)
  return free
}

function ownOptions(metadata: unknown): { providerOptions?: SharedV4ProviderOptions } {
  if (metadata === undefined || metadata === null) return {}
  return { providerOptions: wellFormed(metadata as SharedV4ProviderOptions) }
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** Returns descriptions by hash. A later one replaces an earlier one, which may have failed. */
export function descriptionsIn(messages: readonly { parts: readonly Part[] }[]): Map<string, ImageDescription> {
  const found = new Map<string, ImageDescription>()
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== 'data-image-description') continue
      const { data } = dataParts['image-description'].schema.safeParse(part.data)
      if (data !== undefined) found.set(data.sha256, data)
    }
  }
  return found
}
