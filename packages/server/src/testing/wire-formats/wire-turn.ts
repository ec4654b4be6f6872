/** One answer of a model, before it is put into a provider's words. */
export interface WireTurn {
  reasoning?: string
  text?: string
  calls?: { id: string; name: string; input: unknown }[]
  /** The thoughts as the provider seals them for whoever keeps them. */
  sealed?: string
  /** OpenAI: a command that it ran in a container of its own. */
  container?: { command: string; output: string }
  /** The provider's own search of the web, before the text: pages, each with what the text quotes of it, or an error. */
  search?: WireSearch
  /** Default: `tool-calls` where there are calls, else `stop`. */
  finish?: WireFinish
  /** The provider's own word for the end, with what it says about it. */
  ends?: { reason: string; message?: string; category?: string }
  /** Gemini: why the prompt was blocked; nothing else comes. */
  blocked?: string
  /** OpenAI: the model's refusal, which comes in place of text. */
  refusal?: string
  /** The arguments of the last call stop in the middle, as they do when the tokens run out. */
  cutCall?: boolean
  /** An error of the provider takes the place of the end. */
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
  /** Put into the cache by this request. */
  written?: number
  output: number
  reasoning: number
}

/** A provider's way to say it: the server-sent events of a turn, and the body of an HTTP error. */
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

/** The arguments as the model wrote them. */
export function argumentsOf(turn: WireTurn, index: number): string {
  const json = JSON.stringify(turn.calls?.[index]?.input)
  const last = index === (turn.calls?.length ?? 0) - 1
  return turn.cutCall && last ? json.slice(0, Math.ceil(json.length / 2)) : json
}

/** Deltas of three characters. Surrogate pairs stay whole, as no provider splits them; the bytes are split later. */
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
