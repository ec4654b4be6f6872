import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  type CallNotes,
  dataParts,
  type DataParts,
  estimateTokens,
  type Part,
  splitAfterStep,
  stepNumbers,
  type StoredMessage,
} from '@troupe/protocol'

/** Input of a projection. Compaction needs messages with an ID. */
export type PromptMessage = Pick<StoredMessage, 'role' | 'parts' | 'metadata'> & { id?: string }

type Compaction = DataParts['compaction']

/**
 * Replaces everything up to the step named by the newest compaction with its summary, as a user message. Keeps leading
 * system messages. Ignores a compaction that is `off` or names no message of this branch.
 */
export function applyCompactions(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const found = newestCompaction(messages)
  if (found === undefined) return messages
  const { index, compaction } = found
  const instructions = messages.findIndex(({ role }) => role !== 'system')
  const talk = instructions === -1 ? messages.length : instructions
  const last = messages[index] as PromptMessage
  const summary: Part = { type: 'text', text: compaction.summary }
  return [
    ...messages.slice(0, talk),
    { role: 'user', parts: [summary] },
    ...(last.role === 'assistant' ? [{ ...last, parts: splitAfterStep(last.parts, compaction.upTo.step).after }] : []),
    ...messages.slice(Math.max(index + 1, talk)),
  ]
}

function newestCompaction(messages: readonly PromptMessage[]): { index: number; compaction: Compaction } | undefined {
  const compactions = new Map<string, Compaction>()
  for (const { parts } of messages) {
    for (const part of parts) {
      const data = part.type === 'data-compaction' ? dataParts.compaction.schema.safeParse(part.data).data : undefined
      if (data === undefined) continue
      // A compaction that is turned on again counts as the newest.
      compactions.delete(data.id)
      compactions.set(data.id, data)
    }
  }
  for (const compaction of [...compactions.values()].toReversed()) {
    const index = messages.findIndex(({ id }) => id === compaction.upTo.messageId)
    if (compaction.off !== true && index !== -1) return { index, compaction }
  }
  return undefined
}

/** Shorter results stay, since a pointer would hardly save anything. */
const minTrimLength = 1000

/**
 * Replaces old tool results with pointers to files that hold them, up to the step named by the newest `data-trim`. Does
 * not change the stored messages.
 */
export function applyTrim(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const found = newestTrim(messages)
  if (found === undefined) return messages
  const { index, upTo, folder } = found
  return messages.map((message, i) => {
    if (i > index || message.role !== 'assistant') return message
    return { ...message, parts: trimmedParts(message.parts, i < index ? Infinity : upTo.step, folder) }
  })
}

/** Results that a trim up to this step would move to files, with their paths. */
export function trimmableResults(
  parts: readonly Part[],
  upToStep: number,
  folder: string,
): { toolCallId: string; path: string; text: string }[] {
  const found: { toolCallId: string; path: string; text: string }[] = []
  trimmedParts(parts, upToStep, folder, (toolCallId, path, text) => found.push({ toolCallId, path, text }))
  return found
}

function trimmedParts(
  parts: readonly Part[],
  upToStep: number,
  folder: string,
  onTrimmed?: (toolCallId: string, path: string, text: string) => void,
): Part[] {
  const steps = stepNumbers(parts)
  return parts.map((part, index) => {
    if (
      (steps[index] as number) > upToStep ||
      !('toolCallId' in part) ||
      !('state' in part) ||
      part.state !== 'output-available'
    )
      return part
    const text = resultText(part)
    if (text.length <= minTrimLength) return part
    const path = `${folder}/${fileName(part.toolCallId)}`
    onTrimmed?.(part.toolCallId, path, text)
    return withText(
      part,
      `[${text.length} characters of this result were moved to a file. Read "${path}" if you need them.]`,
    )
  })
}

function fileName(toolCallId: string): string {
  return `set-aside-${toolCallId.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 120)}.txt`
}

function resultText(part: Part): string {
  const { output, toolMetadata } = part as { output?: unknown; toolMetadata?: { troupe?: CallNotes } }
  const text = toolMetadata?.troupe?.modelText ?? output
  return typeof text === 'string' ? text : (JSON.stringify(text) ?? '')
}

function withText(part: Part, modelText: string): Part {
  const { toolMetadata } = part as { toolMetadata?: { troupe?: CallNotes } }
  return { ...part, toolMetadata: { ...toolMetadata, troupe: { ...toolMetadata?.troupe, modelText } } } as Part
}

function newestTrim(messages: readonly PromptMessage[]): (DataParts['trim'] & { index: number }) | undefined {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      const data = part.type === 'data-trim' ? dataParts.trim.schema.safeParse(part.data).data : undefined
      const index = data === undefined ? -1 : messages.findIndex(({ id }) => id === data.upTo.messageId)
      if (data !== undefined && index !== -1) return { ...data, index }
    }
  }
  return undefined
}

/** Estimated tokens of an image or a document page. */
const fileTokens = 1600
/** Overhead of a message or tool call. */
const frameTokens = 8

/** Estimates token counts, corrected by provider reports. A class, since every live run may hold one. */
export class TokenGauge {
  #ratio = 1

  learn(estimated: number, reported: number): void {
    if (estimated < 500 || reported < 100) return
    // Limit the effect of an outlier.
    this.#ratio = Math.min(3, Math.max(0.4, 0.5 * this.#ratio + (0.5 * reported) / (estimated / this.#ratio)))
  }

  /** Sets the ratio from the provider's count of a request that was too long. */
  calibrate(estimated: number, counted: number): void {
    if (estimated > 0) this.#ratio = Math.min(6, Math.max(0.4, (this.#ratio * counted) / estimated))
  }

  text(text: string): number {
    return estimateTokens(text) * this.#ratio
  }

  messages(messages: readonly PromptMessage[]): number {
    let tokens = 0
    for (const { parts } of messages) tokens += frameTokens + this.#parts(parts)
    return tokens * this.#ratio
  }

  #parts(parts: readonly Part[]): number {
    let tokens = 0
    for (const part of parts) {
      let known = weights.get(part)
      if (known === undefined) {
        known = partTokens(part)
        weights.set(part, known)
      }
      tokens += known
    }
    return tokens
  }
}

const weights = new WeakMap<Part, number>()

function partTokens(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return estimateTokens(part.text)
  if (part.type === 'file') return fileTokens
  if (part.type === 'steering-message')
    return part.parts.reduce((sum, one) => sum + partTokens(one as Part), frameTokens)
  if ('toolCallId' in part) return frameTokens + valueTokens(part.input) + resultTokens(part)
  if (!('data' in part) || !/^data-(skill|command|mention|image-description)$/.test(part.type)) return 0
  const { pictures } = (part.data ?? {}) as { pictures?: unknown[] }
  return valueTokens(part.data) + (pictures?.length ?? 0) * fileTokens
}

function resultTokens(part: Extract<Part, { toolCallId: string }>): number {
  const notes = (part as { toolMetadata?: { troupe?: CallNotes } }).toolMetadata?.troupe
  if (notes?.modelText !== undefined) return estimateTokens(notes.modelText)
  const { output, errorText } = part as { output?: unknown; errorText?: string }
  return errorText === undefined ? valueTokens(output) : estimateTokens(errorText)
}

function valueTokens(value: unknown): number {
  if (value === undefined) return 0
  return estimateTokens(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** Estimates the tokens of a prompt without its tools. */
export function promptTokens(prompt: LanguageModelV4Prompt): number {
  return sumOfPrompt(prompt, estimateTokens)
}

/** Roughly the same for a fraction of the cost: as if every text were English. */
export function roughPromptTokens(prompt: LanguageModelV4Prompt): number {
  return sumOfPrompt(prompt, ({ length }) => Math.ceil(length / 4))
}

function sumOfPrompt(prompt: LanguageModelV4Prompt, tokensOf: (text: string) => number): number {
  let tokens = 0
  for (const { content } of prompt) {
    if (typeof content === 'string') tokens += tokensOf(content)
    else for (const part of content) tokens += tokensOfContent(part, tokensOf)
  }
  return tokens
}

function tokensOfContent(part: { type: string; text?: string }, tokensOf: (text: string) => number): number {
  if (part.type === 'file' || part.type === 'reasoning-file') return fileTokens
  return tokensOf(part.text ?? JSON.stringify(part, withoutBytes))
}

function withoutBytes(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? undefined : value
}
