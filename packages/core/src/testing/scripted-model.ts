import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { abortable, collect, wait } from './paced-model.ts'
import { type Cue, playTurn, refusalOf, scriptedError } from './play-turn.ts'
import type { Script, ScriptCounting, ScriptError, ScriptTurn } from './script.ts'

export interface ScriptedModelOptions {
  /** Default: the script's setting, or else `order`. */
  by?: ScriptCounting
  provider?: string
  modelId?: string
  /** Keep every request in `calls`. Default: true. */
  record?: boolean
}

export interface RecordedCall extends LanguageModelV4CallOptions {
  index: number
}

export interface ScriptedModel extends LanguageModelV4 {
  readonly calls: RecordedCall[]
  /** Resolves when a stream has reached the named gate. Resolves at once if one waits there or has passed. */
  reached(gate: string): Promise<void>
  /** Lets every current and future stream pass the gate. */
  open(gate: string): void
}

/**
 * A model that plays a script: the same requests get the same answers, including the faults of real providers. Parts
 * are created when read and no timer runs without a delay, so thousands of deltas are cheap.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const calls: RecordedCall[] = []
  const struck = new Map<ScriptError, number>()
  const gates = new Gates()
  const by = options.by ?? (isObject(script) ? script.by : undefined) ?? 'order'
  let count = 0

  async function perform(request: LanguageModelV4CallOptions): Promise<ReadableStream<LanguageModelV4StreamPart>> {
    const { prompt, abortSignal } = request
    const order = count++
    const steps = stepsIn(prompt)
    const index = by === 'order' ? order : by === 'prompt' ? steps.sinceUser : steps.total
    if (options.record !== false) calls.push({ ...request, prompt: [...prompt], index })
    abortSignal?.throwIfAborted()

    const turn = await turnOf(script, request, index)
    const refusal = refusalOf(turn)
    if (refusal) {
      await wait(refusal.delayMs, abortSignal)
      if (strikes(refusal.item)) throw scriptedError(refusal.item)
    }
    const cues = playTurn(turn, {
      // Unique in a conversation, and the same when a new process replays the turn.
      index: by === 'order' ? order : steps.total,
      promptLength: () => lengthOf(prompt),
      strikes,
    })
    return streamOf(cues, gates, abortSignal)
  }

  function strikes(item: ScriptError): boolean {
    const times = struck.get(item) ?? 0
    struck.set(item, times + 1)
    return item.times === undefined || times < item.times
  }

  return {
    specificationVersion: 'v4',
    provider: options.provider ?? 'scripted',
    modelId: options.modelId ?? 'script',
    supportedUrls: {},
    calls,
    reached: (gate) => gates.reached(gate),
    open: (gate) => gates.open(gate),
    doStream: async (request) => ({ stream: await perform(request) }),
    doGenerate: async (request) => collect(await perform(request)),
  }
}

async function turnOf(script: Script, request: LanguageModelV4CallOptions, index: number): Promise<ScriptTurn> {
  if (typeof script === 'function') return script(request.prompt, index, request)
  const turns = isObject(script) ? script.turns : script
  const turn = turns[index]
  if (!turn) throw new Error(`The script has ${turns.length} turns, and call number ${index + 1} came.`)
  return turn
}

function streamOf(
  cues: Generator<Cue, void>,
  gates: Gates,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  let release = () => {}
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      start(controller) {
        const onAbort = () => controller.error(signal?.reason)
        signal?.addEventListener('abort', onAbort, { once: true })
        release = () => signal?.removeEventListener('abort', onAbort)
        if (signal?.aborted) onAbort()
      },
      async pull(controller) {
        for (;;) {
          const { done, value: cue } = cues.next()
          if (done) {
            release()
            controller.close()
            return
          }
          if (cue.type === '$wait') {
            await wait(cue.ms, signal)
          } else if (cue.type === '$gate') {
            await gates.pass(cue.name, signal)
          } else if (cue.type === '$break') {
            release()
            controller.error(cue.error)
            return
          } else {
            controller.enqueue(cue)
            return
          }
        }
      },
      cancel: () => release(),
    },
    { highWaterMark: 0 },
  )
}

/** Each assistant message of a prompt is one step. */
function stepsIn(prompt: LanguageModelV4Prompt): { total: number; sinceUser: number } {
  let total = 0
  let sinceUser = 0
  for (const { role } of prompt) {
    if (role === 'user') sinceUser = 0
    if (role !== 'assistant') continue
    total++
    sinceUser++
  }
  return { total, sinceUser }
}

/** Characters of text in a prompt, without files. */
function lengthOf(prompt: LanguageModelV4Prompt): number {
  let length = 0
  for (const { content } of prompt) {
    if (typeof content === 'string') {
      length += content.length
      continue
    }
    for (const part of content) {
      if ('text' in part) length += part.text.length
      else if (part.type === 'tool-call') length += JSON.stringify(part.input)?.length ?? 0
      else if (part.type === 'tool-result') length += JSON.stringify(part.output).length
    }
  }
  return length
}

function isObject(script: Script): script is Extract<Script, { turns: unknown }> {
  return typeof script === 'object' && !Array.isArray(script)
}

interface Gate {
  open: boolean
  reached: boolean
  waiting: Set<() => void>
  watching: (() => void)[]
}

class Gates {
  #gates = new Map<string, Gate>()

  async pass(name: string, signal: AbortSignal | undefined): Promise<void> {
    const gate = this.#gate(name)
    gate.reached = true
    for (const watcher of gate.watching.splice(0)) watcher()
    if (gate.open) return
    await abortable(signal, (done) => {
      gate.waiting.add(done)
      return () => gate.waiting.delete(done)
    })
  }

  open(name: string): void {
    const gate = this.#gate(name)
    gate.open = true
    for (const done of gate.waiting) done()
    gate.waiting.clear()
  }

  reached(name: string): Promise<void> {
    const gate = this.#gate(name)
    if (gate.reached) return Promise.resolve()
    return new Promise((resolve) => {
      gate.watching.push(resolve)
    })
  }

  #gate(name: string): Gate {
    let gate = this.#gates.get(name)
    if (!gate) {
      gate = { open: false, reached: false, waiting: new Set(), watching: [] }
      this.#gates.set(name, gate)
    }
    return gate
  }
}
