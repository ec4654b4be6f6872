import { APICallError } from '@ai-sdk/provider'
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { ScriptError, ScriptItem, ScriptTurn, ScriptUsage } from './script.ts'

/** Next event of a turn: a part for the reader, or a control event for the player. */
export type Cue =
  | LanguageModelV4StreamPart
  | { type: '$wait'; ms: number }
  | { type: '$gate'; name: string }
  | { type: '$break'; error: unknown }

export interface Performance {
  /** Part of generated ids, so that they are the same on replay. */
  index: number
  /** Characters of the prompt, for estimating usage. Called only if the script gives none. */
  promptLength(): number
  strikes(item: ScriptError): boolean
}

/** Yields the parts of one turn in order. Lazy, so a turn of a million deltas costs only the parts read. */
export function* playTurn(turn: ScriptTurn, performance: Performance): Generator<Cue, void> {
  const written = { text: 0, reasoning: 0, calls: 0, sources: 0, failed: false, characters: 0 }
  yield { type: 'stream-start', warnings: [] }

  for (const item of turn) {
    if ('text' in item) {
      const id = `txt-${written.text++}`
      yield* streamed('text', id, item.text, item)
      written.characters += item.text.length
    } else if ('reasoning' in item) {
      const id = `reasoning-${written.reasoning++}`
      yield* streamed('reasoning', id, item.reasoning, item)
      written.characters += item.reasoning.length
    } else if ('call' in item) {
      const { call } = item
      const toolCallId = call.id ?? `call-${performance.index}-${written.calls}`
      const input = call.rawInput ?? (call.input === undefined ? '{}' : JSON.stringify(call.input))
      written.calls++
      written.characters += input.length
      if (call.stream !== false) {
        yield { type: 'tool-input-start', id: toolCallId, toolName: call.name }
        for (const delta of pieces(input, call.chunks)) {
          if (call.delayMs) yield { type: '$wait', ms: call.delayMs }
          yield { type: 'tool-input-delta', id: toolCallId, delta }
        }
        yield { type: 'tool-input-end', id: toolCallId }
      }
      yield { type: 'tool-call', toolCallId, toolName: call.name, input, ...metadataOf(call) }
    } else if ('error' in item) {
      if (item.when === 'before' || !performance.strikes(item)) continue
      written.failed = true
      yield { type: 'error', error: scriptedError(item) }
    } else if ('file' in item) {
      const { mediaType, data, url } = item.file
      yield {
        type: 'file',
        mediaType,
        data: url === undefined ? { type: 'data', data: data ?? '' } : { type: 'url', url: new URL(url) },
      }
    } else if ('source' in item) {
      yield sourcePart(item.source, `source-${written.sources++}`)
    } else if ('gate' in item) {
      yield { type: '$gate', name: item.gate }
    } else if ('cut' in item) {
      return
    } else if ('reset' in item) {
      yield { type: '$break', error: socketReset() }
      return
    } else if ('part' in item) {
      yield item.part as LanguageModelV4StreamPart
    } else if ('finish' in item) {
      yield finishPart(item.finish, item.usage ?? estimate(performance.promptLength(), written.characters))
      return
    } else {
      yield { type: '$wait', ms: item.delayMs }
    }
  }

  const reason = written.failed ? 'error' : written.calls > 0 ? 'tool-calls' : 'stop'
  yield finishPart(reason, estimate(performance.promptLength(), written.characters))
}

/** Returns the error that rejects a turn before its first byte, with its delay. */
export function refusalOf(turn: ScriptTurn): { item: ScriptError; delayMs: number } | undefined {
  let delayMs = 0
  for (const [position, item] of turn.entries()) {
    if ('error' in item && (item.when === 'before' || (item.when === undefined && isOpening(turn, position)))) {
      return { item, delayMs }
    }
    if (isDelay(item)) delayMs += item.delayMs
  }
  return undefined
}

export function scriptedError(item: ScriptError): APICallError {
  const { message, statusCode, retryable, headers, body } = item.error
  return new APICallError({
    message,
    url: 'scripted:model',
    requestBodyValues: {},
    statusCode,
    responseHeaders: headers,
    responseBody: body,
    isRetryable: retryable,
  })
}

/** Splits a text into pieces that join to the same text. Never splits a surrogate pair. */
function* pieces(text: string, chunks: number | number[] | undefined): Generator<string> {
  if (text === '') return
  const count = typeof chunks === 'number' ? Math.min(chunks, text.length) : 0
  let from = 0
  for (let piece = 0; from < text.length; piece++) {
    let to = text.length
    if (count > 0) to = Math.round(((piece + 1) * text.length) / count)
    else if (Array.isArray(chunks)) to = Math.min(from + (chunks[piece] ?? text.length), text.length)
    if (to < text.length && isLowSurrogate(text, to)) to++
    if (to <= from) continue
    yield text.slice(from, to)
    from = to
  }
}

function* streamed(
  kind: 'text' | 'reasoning',
  id: string,
  text: string,
  item: { chunks?: number | number[] | undefined; delayMs?: number | undefined; providerMetadata?: unknown },
): Generator<Cue, void> {
  yield { type: `${kind}-start`, id }
  for (const delta of pieces(text, item.chunks)) {
    if (item.delayMs) yield { type: '$wait', ms: item.delayMs }
    yield { type: `${kind}-delta`, id, delta }
  }
  yield { type: `${kind}-end`, id, ...metadataOf(item) }
}

function sourcePart(
  source: Extract<ScriptItem, { source: unknown }>['source'],
  defaultId: string,
): LanguageModelV4StreamPart {
  if ('url' in source) {
    const { url, title, id = defaultId } = source
    return { type: 'source', sourceType: 'url', id, url, title }
  }
  const { mediaType, title, filename, id = defaultId } = source
  return { type: 'source', sourceType: 'document', id, mediaType, title, filename }
}

function finishPart(
  unified: LanguageModelV4FinishReason['unified'],
  usage: ScriptUsage & { estimated?: boolean },
): LanguageModelV4StreamPart {
  return { type: 'finish', finishReason: { unified, raw: unified }, usage: usageOf(usage) }
}

function usageOf(usage: ScriptUsage & { estimated?: boolean }): LanguageModelV4Usage {
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens } = usage
  return {
    inputTokens: {
      total: inputTokens,
      noCache: inputTokens - (cachedInputTokens ?? 0),
      cacheRead: cachedInputTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: outputTokens, text: outputTokens - (reasoningTokens ?? 0), reasoning: reasoningTokens },
    ...(usage.estimated && { raw: { estimated: true } }),
  }
}

/** Counts four characters as one token. There is no tokenizer, so the usage is marked `raw.estimated`. */
function estimate(promptLength: number, outputLength: number): ScriptUsage & { estimated: boolean } {
  return { inputTokens: Math.ceil(promptLength / 4), outputTokens: Math.ceil(outputLength / 4), estimated: true }
}

/** The error that the platform's fetch throws on a connection reset. */
function socketReset(): Error {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' })
  return new TypeError('terminated', { cause })
}

function metadataOf(item: { providerMetadata?: unknown }): { providerMetadata?: SharedV4ProviderMetadata } {
  if (item.providerMetadata === undefined) return {}
  return { providerMetadata: item.providerMetadata as SharedV4ProviderMetadata }
}

function isOpening(turn: ScriptTurn, position: number): boolean {
  return turn.slice(0, position).every(isDelay)
}

function isDelay(item: ScriptItem): item is { delayMs: number } {
  return 'delayMs' in item && Object.keys(item).length === 1
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
