import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { isId, newId } from '../protocol/ids.ts'
import type { Chunk } from '../protocol/message.ts'
import { findTool } from '../tool-set.ts'
import type { ModelAnswer, ModelCall } from './call-model.ts'
import { parseCall } from './parse-call.ts'

/** Turns provider stream parts into chunks. */
export interface Translator {
  /** Returns a promise only where something has to be waited for. */
  translate: (part: LanguageModelV4StreamPart) => Promise<void> | undefined
  /** Ends the texts that the provider left open, so that nothing is shown as streaming any more. */
  close: () => void
}

export function createTranslator(input: ModelCall, answer: ModelAnswer & { started: boolean }): Translator {
  const { emit } = input
  /** How the texts that stream now will end; rarely more than one. */
  let open: Extract<Chunk, { type: 'text-end' | 'reasoning-end' }>[] = []
  let ids: Map<string, string> | undefined
  return {
    translate,
    close() {
      for (const end of open) emit(end)
    },
  }

  function translate(part: LanguageModelV4StreamPart): Promise<void> | undefined {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        answer.started = true
        if (part.providerMetadata !== undefined)
          emit({ type: part.type, id: part.id, delta: part.delta, providerMetadata: part.providerMetadata })
        else if (part.delta !== '') emit({ type: part.type, id: part.id, delta: part.delta })
        return undefined
      case 'text-start':
      case 'reasoning-start': {
        answer.started = true
        const type = part.type === 'text-start' ? 'text-end' : 'reasoning-end'
        open = [...open.filter((end) => end.type !== type || end.id !== part.id), { type, id: part.id }]
        emit(part)
        return undefined
      }
      case 'text-end':
      case 'reasoning-end':
        open = open.filter((end) => end.type !== part.type || end.id !== part.id)
        emit(part)
        return undefined
      case 'tool-input-start':
        answer.started = true
        return inputStart(part)
      case 'tool-input-delta': {
        const toolCallId = ids?.get(part.id)
        if (toolCallId !== undefined && part.delta !== '')
          emit({ type: 'tool-input-delta', toolCallId, inputTextDelta: part.delta })
        return undefined
      }
      case 'tool-call':
        answer.started = true
        return toolCall(part)
      case 'tool-result': {
        const toolCallId = ids?.get(part.toolCallId) ?? part.toolCallId
        const extra = {
          providerExecuted: true,
          ...(part.providerMetadata !== undefined && { providerMetadata: part.providerMetadata }),
        }
        if (part.isError === true)
          emit({ type: 'tool-output-error', toolCallId, errorText: textOf(part.result), ...extra })
        else
          emit({
            type: 'tool-output-available',
            toolCallId,
            output: part.result,
            ...(part.preliminary === true && { preliminary: true }),
            ...extra,
          })
        return undefined
      }
      case 'file':
      case 'reasoning-file':
        answer.started = true
        return file(part)
      case 'source':
        answer.started = true
        if (part.sourceType === 'url')
          emit(
            defined({
              type: 'source-url',
              sourceId: part.id,
              url: part.url,
              title: part.title,
              providerMetadata: part.providerMetadata,
            }) as Chunk,
          )
        else
          emit(
            defined({
              type: 'source-document',
              sourceId: part.id,
              mediaType: part.mediaType,
              title: part.title,
              filename: part.filename,
              providerMetadata: part.providerMetadata,
            }) as Chunk,
          )
        return undefined
      case 'custom':
        answer.started = true
        emit(defined({ type: 'custom', kind: part.kind, providerMetadata: part.providerMetadata }) as Chunk)
        return undefined
      default:
        return undefined
    }
  }

  async function ourId(providerId: string): Promise<string> {
    const known = ids?.get(providerId)
    if (known !== undefined) return known
    const id = isId(providerId) && (await input.takeCallId(providerId)) ? providerId : newId('call_')
    if (id !== providerId) await input.takeCallId(id)
    ids ??= new Map()
    ids.set(providerId, id)
    return id
  }

  async function inputStart(part: Extract<LanguageModelV4StreamPart, { type: 'tool-input-start' }>): Promise<void> {
    const toolCallId = await ourId(part.id)
    const toolName = findTool(part.toolName, input.tools)?.name ?? part.toolName
    emit(defined({ ...part, id: undefined, toolCallId, toolName }) as Chunk)
  }

  async function toolCall(part: LanguageModelV4ToolCall): Promise<void> {
    const toolCallId = ids?.get(part.toolCallId) ?? (await ourId(part.toolCallId))
    const { providerExecuted, providerMetadata, dynamic } = part
    const shared = {
      ...(providerExecuted !== undefined && { providerExecuted }),
      ...(providerMetadata !== undefined && { providerMetadata }),
      ...(dynamic !== undefined && { dynamic }),
    }
    if (providerExecuted === true) {
      emit({ type: 'tool-input-available', toolCallId, toolName: part.toolName, input: tryJson(part.input), ...shared })
      return
    }
    const call = parseCall({ toolCallId, toolName: part.toolName, input: part.input }, input.tools)
    answer.calls.push(call)
    const { toolName } = call
    const notes = call.actionName === undefined ? {} : { toolMetadata: { troupe: { actionName: call.actionName } } }
    if (call.invalid !== undefined) {
      emit({
        type: 'tool-input-error',
        toolCallId,
        toolName,
        input: call.input,
        errorText: call.invalid,
        ...shared,
        ...notes,
        ...(call.tool === undefined && { dynamic: true }),
      })
    } else emit({ type: 'tool-input-available', toolCallId, toolName, input: call.input, ...shared, ...notes })
    input.onCall(call)
  }

  async function file(part: Extract<LanguageModelV4StreamPart, { type: 'file' | 'reasoning-file' }>): Promise<void> {
    let url: string
    if (part.data.type === 'url') url = part.data.url.href
    else {
      const bytes = typeof part.data.data === 'string' ? Buffer.from(part.data.data, 'base64') : part.data.data
      if (input.blobs === undefined) url = `data:${part.mediaType};base64,${Buffer.from(bytes).toString('base64')}`
      else url = `/ai/blobs/${(await input.blobs.put(bytes, part.mediaType)).sha256}`
    }
    emit(defined({ type: part.type, url, mediaType: part.mediaType, providerMetadata: part.providerMetadata }) as Chunk)
  }
}

function defined(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
