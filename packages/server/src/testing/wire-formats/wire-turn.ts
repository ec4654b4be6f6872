/** One model answer in provider-neutral form. */
export interface WireTurn {
  reasoning?: string
  text?: string
  calls?: { id: string; name: string; input: unknown }[]
  /** Reasoning as encrypted by the provider. */
  sealed?: string
  /** OpenAI: a command that ran in the provider's container. */
  container?: { command: string; output: string }
  /** The provider's own web search before the text: pages with the passages the text cites, or an error. */
  search?: WireSearch
  /** Default: `tool-calls` if there are calls, else `stop`. */
  finish?: WireFinish
  /** The provider's own finish reason and details. */
  ends?: { reason: string; message?: string; category?: string }
  /** Gemini: the reason the prompt was blocked. Nothing else is sent. */
  blocked?: string
  /** OpenAI: the model's refusal, sent instead of text. */
  refusal?: string
  /** Truncates the arguments of the last call, as when tokens run out. */
  cutCall?: boolean
  /** A provider error, sent instead of the finish. */
  error?: { type: string; message: string }
  usage?: WireUsage
}

export interface WireSearch {
  query: string
  pages: { url: string; title: string; quote?: string }[]
  error?: string
}

export type WireFinish = 'stop' | 'length' | 'tool-calls'

export interface WireUsage {
  input: number
  cached: number
  written?: number
  output: number
  reasoning: number
}

/** A provider's encoding: the server-sent events of a turn, and the body of an HTTP error. */
export interface WireFormat {
  events: (turn: WireTurn, model: string) => string[]
  errorBody: (status: number, message: string) => unknown
}

export function finishOf(turn: WireTurn): WireFinish {
  return turn.finish ?? (turn.calls?.length ? 'tool-calls' : 'stop')
}

export function usageOf(turn: WireTurn): WireUsage {
  return turn.usage ?? { input: 120, cached: 20, output: 40, reasoning: turn.reasoning ? 15 : 0 }
}

export function argumentsOf(turn: WireTurn, index: number): string {
  const json = JSON.stringify(turn.calls?.[index]?.input)
  const last = index === (turn.calls?.length ?? 0) - 1
  return turn.cutCall && last ? json.slice(0, Math.ceil(json.length / 2)) : json
}

/**
 * Splits text into deltas of three characters. Keeps surrogate pairs whole, like all providers. Bytes are split later.
 */
export function deltas(text: string): string[] {
  return Array.from(text).reduce<string[]>((parts, character, index) => {
    if (index % 3 === 0) parts.push('')
    parts[parts.length - 1] += character
    return parts
  }, [])
}

export function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}
