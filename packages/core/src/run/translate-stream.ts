import type { SpendGuard } from '../model/spend-guard.ts'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import { type Chunk, isId, type NamedError, newId, type Usage } from '@troupe/protocol'
import { createThinkTags } from '../model/think-tags.ts'
import { type Call, checkInput, findCalledTool, parseCall } from '../tool/parse-call.ts'
import type { Blobs } from '../tool/services.ts'
import { type Tool, toolKey } from '../tool/tool.ts'
import type { RunInput } from './run-input.ts'

export interface Translator {
  /** Returns a promise only if there is something to wait for. */
  translate: (part: LanguageModelV4StreamPart) => Promise<void> | undefined
  /** Resolves undecided calls when the provider has ended the answer. */
  decide: () => void
  /** Ends texts that the provider left open, so that nothing still appears to stream. */
  close: () => void
}

export function createTranslator(input: ModelCall, answer: ModelAttempt): Translator {
  return new PartTranslator(input, answer)
}

/** A class, because every live answer holds one and prototype methods cost no memory per instance. */
class PartTranslator implements Translator {
  readonly #input: ModelCall
  readonly #answer: ModelAttempt
  /** End chunks of the texts now streaming, rarely more than one. */
  #open: Extract<Chunk, { type: 'text-end' | 'reasoning-end' }>[] = []
  #ids: Map<string, string> | undefined
  /** Calls that either side may run, keyed by the provider's id. */
  #undecided: Map<string, { part: LanguageModelV4ToolCall; call: Call }> | undefined
  readonly #thinkTags: ReturnType<typeof createThinkTags>

  constructor(input: ModelCall, answer: ModelAttempt) {
    this.#input = input
    this.#answer = answer
    this.#thinkTags = createThinkTags(input.model.provider, input.said)
  }

  /** Calls that the provider did not run are ours. */
  decide(): void {
    for (const { part, call } of this.#undecided?.values() ?? []) this.#take(call, sharedOf(part))
    this.#undecided = undefined
  }

  close(): void {
    for (const end of this.#open) this.#input.emit(end)
  }

  translate(given: LanguageModelV4StreamPart): Promise<void> | undefined {
    if (this.#thinkTags === undefined) return this.#translate(given)
    let pending: Promise<void> | undefined
    // Only the given part can require waiting, and it comes last.
    for (const part of this.#thinkTags.push(given)) {
      if (part.type === 'reset') {
        this.#open = []
        this.#input.emit({ type: 'reset-step' })
      } else pending = this.#translate(part)
    }
    return pending
  }

  #translate(part: LanguageModelV4StreamPart): Promise<void> | undefined {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#answer.started = true
        if (part.type === 'text-delta' && !this.#answer.hasText) this.#answer.hasText = part.delta.trim() !== ''
        if (part.providerMetadata !== undefined)
          this.#input.emit({ type: part.type, id: part.id, delta: part.delta, providerMetadata: part.providerMetadata })
        else if (part.delta !== '') this.#input.emit({ type: part.type, id: part.id, delta: part.delta })
        return undefined
      case 'text-start':
      case 'reasoning-start': {
        this.#answer.started = true
        const type = part.type === 'text-start' ? 'text-end' : 'reasoning-end'
        this.#open = [...this.#open.filter((end) => end.type !== type || end.id !== part.id), { type, id: part.id }]
        this.#input.emit(part)
        return undefined
      }
      case 'text-end':
      case 'reasoning-end':
        this.#open = this.#open.filter((end) => end.type !== part.type || end.id !== part.id)
        this.#input.emit(part)
        return undefined
      case 'tool-input-start':
        this.#answer.started = true
        return this.#inputStart(part)
      case 'tool-input-delta': {
        const toolCallId = this.#ids?.get(part.id)
        if (toolCallId !== undefined && part.delta !== '')
          this.#input.emit({ type: 'tool-input-delta', toolCallId, inputTextDelta: part.delta })
        return undefined
      }
      case 'tool-call':
        this.#say()
        return this.#toolCall(part)
      case 'tool-approval-request': {
        const toolCallId = this.#ids?.get(part.toolCallId) ?? part.toolCallId
        this.#undecided?.delete(part.toolCallId)
        const errorText = 'Not run: the provider asked for an approval, which is not supported.'
        this.#input.emit({ type: 'tool-output-error', toolCallId, errorText, providerExecuted: true })
        return undefined
      }
      case 'tool-result': {
        this.#undecided?.delete(part.toolCallId)
        const toolCallId = this.#ids?.get(part.toolCallId) ?? part.toolCallId
        const extra = {
          providerExecuted: true,
          providerMetadata: part.providerMetadata,
        }
        if (part.isError === true)
          this.#input.emit({ type: 'tool-output-error', toolCallId, errorText: textOf(part.result), ...extra })
        else
          this.#input.emit({
            type: 'tool-output-available',
            toolCallId,
            output: part.result,
            preliminary: part.preliminary || undefined,
            ...extra,
          })
        return undefined
      }
      case 'file':
      case 'reasoning-file':
        this.#say()
        return this.#file(part)
      case 'source':
        this.#say()
        if (part.sourceType === 'url')
          this.#input.emit(
            defined({
              type: 'source-url',
              sourceId: part.id,
              url: part.url,
              title: part.title,
              providerMetadata: part.providerMetadata,
            }) as Chunk,
          )
        else
          this.#input.emit(
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
        this.#say()
        this.#input.emit(defined({ type: 'custom', kind: part.kind, providerMetadata: part.providerMetadata }) as Chunk)
        return undefined
      default:
        return undefined
    }
  }

  #say(): void {
    this.#answer.started = true
    this.#answer.hasText = true
  }

  async #ourId(providerId: string): Promise<string> {
    const known = this.#ids?.get(providerId)
    if (known !== undefined) return known
    const id = isId(providerId) && (await this.#input.reserveCallId(providerId)) ? providerId : newId('call_')
    if (id !== providerId) await this.#input.reserveCallId(id)
    this.#ids ??= new Map()
    this.#ids.set(providerId, id)
    return id
  }

  async #inputStart(part: Extract<LanguageModelV4StreamPart, { type: 'tool-input-start' }>): Promise<void> {
    // Tools that the provider runs keep the provider's name, even if ours has the same one.
    const theirs = part.providerExecuted === true
    const ours = theirs ? undefined : findCalledTool(part.toolName, this.#input.tools)
    const toolName = ours?.name ?? part.toolName
    // Under another name the call may belong to either side, which is known only when it is complete.
    if (toolKey(toolName) !== toolKey(part.toolName)) return
    const toolCallId = await this.#ourId(part.id)
    this.#input.emit(defined({ ...part, id: undefined, toolCallId, toolName }) as Chunk)
  }

  async #toolCall(part: LanguageModelV4ToolCall): Promise<void> {
    const begun = this.#ids?.get(part.toolCallId)
    const toolCallId = begun ?? (await this.#ourId(part.toolCallId))
    const shared = sharedOf(part)
    if (part.providerExecuted === true) {
      this.#input.emit({
        type: 'tool-input-available',
        toolCallId,
        toolName: part.toolName,
        input: tryJson(part.input),
        ...shared,
      })
      return
    }
    const call = parseCall({ toolCallId, toolName: part.toolName, input: part.input }, this.#input.tools)
    const complaint = foreignCallProblem(part.toolName, call)
    if (complaint !== undefined) {
      const input = tryJson(part.input)
      this.#undecided ??= new Map()
      this.#undecided.set(part.toolCallId, {
        part,
        call: { toolCallId, toolName: part.toolName, input, invalid: complaint },
      })
      const dynamic = begun === undefined && { dynamic: true }
      this.#input.emit({
        type: 'tool-input-available',
        toolCallId,
        toolName: part.toolName,
        input,
        ...shared,
        ...dynamic,
      })
      return
    }
    this.#take(call, shared)
  }

  #take(call: Call, shared: object): void {
    this.#answer.calls.push(call)
    const { toolCallId, toolName } = call
    const notes = call.actionName === undefined ? {} : { toolMetadata: { troupe: { actionName: call.actionName } } }
    if (call.invalid !== undefined) {
      this.#input.emit({
        type: 'tool-input-error',
        toolCallId,
        toolName,
        input: call.input,
        errorText: call.invalid,
        ...shared,
        ...notes,
        ...(call.tool === undefined && { dynamic: true }),
      })
    } else
      this.#input.emit({ type: 'tool-input-available', toolCallId, toolName, input: call.input, ...shared, ...notes })
    this.#input.onCall(call)
  }

  async #file(part: Extract<LanguageModelV4StreamPart, { type: 'file' | 'reasoning-file' }>): Promise<void> {
    let url: string
    if (part.data.type === 'url') url = part.data.url.href
    else {
      const bytes = typeof part.data.data === 'string' ? Buffer.from(part.data.data, 'base64') : part.data.data
      if (this.#input.blobs === undefined)
        url = `data:${part.mediaType};base64,${Buffer.from(bytes).toString('base64')}`
      else url = `/ai/blobs/${(await this.#input.blobs.put(bytes, part.mediaType)).sha256}`
    }
    this.#input.emit(
      defined({ type: part.type, url, mediaType: part.mediaType, providerMetadata: part.providerMetadata }) as Chunk,
    )
  }
}

function sharedOf({ providerExecuted, providerMetadata, dynamic }: LanguageModelV4ToolCall) {
  return {
    providerExecuted,
    providerMetadata,
    dynamic,
  }
}

/**
 * Returns the problem with treating a call as ours when the provider may have run it without saying so. Applies if the
 * name is not one of ours and no tool of ours accepts the input. A provider result settles it.
 */
function foreignCallProblem(name: string, { tool, input, invalid }: Call): string | undefined {
  if (tool === undefined) return invalid
  if (toolKey(tool.name) === toolKey(name)) return undefined
  if (invalid !== undefined) return invalid
  const checked = checkInput(tool, input)
  return 'complaint' in checked ? checked.complaint : undefined
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

export type CallOptions = Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'> & RunInput['callOptions']

export interface ModelAnswer {
  finishReason: string
  usage?: Usage
  calls: Call[]
  /** Amount received so far. See `sizeOf`. */
  size: number
  /** Error in mid-stream or in the answer itself. Parts that arrived are kept. */
  error?: NamedError
}

export interface ModelAttempt extends ModelAnswer {
  started: boolean
  /** Something other than reasoning and whitespace has arrived. */
  hasText: boolean
  ended: boolean
}

export interface ModelCall {
  model: LanguageModelV4
  /**
   * Built for each attempt and not retained, so that a long prompt does not live as long as its answer. `bare`: leaves
   * out data that only the provider can read.
   */
  options: (bare: boolean) => Promise<CallOptions>
  tools: readonly Tool[]
  signal: AbortSignal
  /** Asked before each attempt. */
  guard?: SpendGuard | undefined
  blobs?: Blobs
  /** Maximum retries before the first byte. */
  maxRetries: number
  /** Milliseconds without data after which a provider counts as stalled. */
  stallMs: number
  emit: (chunk: Chunk) => void
  /** Called for each call in model order, as soon as its arguments are complete. */
  onCall: (call: Call) => void
  /** Reserves a call id for the session. Resolves to false if it is taken. */
  reserveCallId: (id: string) => Promise<boolean>
  /** Maximum size of the answer. Default: `maxAnswerSize`. */
  longest?: number
  /** Text received so far in this model call. Without it, only explicitly opened tags become reasoning. */
  said?: () => string
  /** Earlier steps of the same answer had content, so this one may end empty. */
  hasEarlierText?: boolean
}
