import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** Discards everything streamed in this step. Its texts are streamed again. */
interface Reset {
  type: 'reset'
}

type Part = LanguageModelV4StreamPart | Reset

/** Marks reasoning that came as text. It is shown but never sent back, since the model expects its text without it. */
const tagged = { troupe: { tagged: true } }

export function isTagged(providerMetadata: object | undefined): boolean {
  return (providerMetadata as Partial<typeof tagged> | undefined)?.troupe?.tagged === true
}

/** Reasoning tags of models: Magistral uses brackets, Kimi triangles, Seed its name. */
const tags: Readonly<Record<string, string>> = {
  '<think>': '</think>',
  '<thinking>': '</thinking>',
  '<thought>': '</thought>',
  '<THINK>': '</THINK>',
  '<seed:think>': '</seed:think>',
  '[THINK]': '[/THINK]',
  '◁think▷': '◁/think▷',
}

/** Providers that separate reasoning from text themselves. */
const separating = /^(anthropic|google|openai\.responses|xai|gateway|codex)/

/**
 * Converts `<think>` and similar tags at the start of an answer to reasoning parts, for local servers without a reasoning parser.
 * Many omit the opening tag because it is part of the prompt. The text is then recognized as reasoning only at the
 * closing tag, and the streamed text (returned by `said`) is reset. Undefined for providers that do not need it.
 */
export function createThinkTags(provider: string, said?: () => string): ThinkTags | undefined {
  return separating.test(provider) ? undefined : new ThinkTags(said)
}

class ThinkTags {
  /** `start`: only whitespace so far. `thoughts`: after an opening tag. `text`: no tag yet. `done`: pass through. */
  #state: 'start' | 'thoughts' | 'text' | 'done' = 'start'
  /** Held back because it may be part of a tag. */
  #held = ''
  /** Last characters emitted. The next fields record evidence against a tag. */
  #tail = ''
  #fences = 0
  #opened = false
  #closing = ''
  /** Announced text. Its start is emitted with its first delta. */
  #textId = ''
  #textStart: LanguageModelV4StreamPart | undefined
  #hadThoughts = false
  readonly #said: (() => string) | undefined
  #thinking = false

  constructor(said: (() => string) | undefined) {
    this.#said = said
  }

  push(part: LanguageModelV4StreamPart): Part[] {
    if (this.#state === 'done' && this.#textStart === undefined) return [part]
    switch (part.type) {
      case 'text-start':
        if (this.#textId !== '' && this.#state !== 'done') return [...this.#flush(), part]
        this.#textId = part.id
        this.#textStart = part
        return []
      case 'text-delta':
        return this.#textDelta(part.delta)
      case 'text-end': {
        const parts = this.#flush()
        // The text was all reasoning.
        const silent = this.#hadThoughts && this.#textStart !== undefined
        const start = this.#starting()
        return silent ? parts : [...parts, ...start, part]
      }
      case 'stream-start':
      case 'response-metadata':
      case 'raw':
        return [part]
      default:
        // Native reasoning, tool calls, finish: only leading text is searched for tags.
        return [...this.#flush(), ...(this.#hadThoughts ? [] : this.#starting()), part]
    }
  }

  #textDelta(delta: string): Part[] {
    if (this.#state === 'done') return this.#text(this.#hadThoughts && this.#textStart ? delta.trimStart() : delta)
    if (this.#state === 'text') return this.#plain(delta)
    this.#held += delta
    if (this.#state === 'thoughts') return this.#thoughts()
    const given = this.#held.trimStart()
    const opened = Object.keys(tags).find((tag) => given.startsWith(tag))
    if (opened !== undefined) {
      this.#closing = tags[opened]!
      this.#held = given.slice(opened.length).trimStart()
      this.#state = 'thoughts'
      this.#hadThoughts = true
      return this.#thoughts()
    }
    if (Object.keys(tags).some((tag) => tag.startsWith(given))) return []
    this.#state = this.#said === undefined ? 'done' : 'text'
    return this.#plain(this.#takeHeld())
  }

  #thoughts(): Part[] {
    const end = this.#held.indexOf(this.#closing)
    const ready = end === -1 ? this.#held.length - overlap(this.#held, this.#closing) : end
    const parts = this.#think(this.#held.slice(0, ready))
    this.#held = this.#held.slice(ready)
    if (end === -1) return parts
    const rest = this.#held.slice(this.#closing.length)
    this.#state = 'done'
    return [...parts, ...this.#endThoughts(), ...this.#text(rest.trimStart())]
  }

  /** Passes text through until a closing tag without an opening tag. */
  #plain(delta: string, atEnd = false): Part[] {
    const seen = this.#tail + delta
    const lost = seen.includes('</think') ? this.#lostTag(seen, atEnd) : undefined
    if (lost === undefined) {
      const fresh = this.#tail.slice(-5) + delta
      if (delta.includes('`')) this.#fences += count(this.#tail.slice(-2) + delta, '```')
      this.#opened ||= fresh.includes('<think')
      this.#tail = seen.slice(-30)
      return this.#text(delta)
    }
    const said = this.#said?.() ?? ''
    const thoughts = (said + delta).slice(0, said.length + delta.length - (seen.length - lost.index))
    this.#state = 'done'
    this.#hadThoughts = true
    this.#textStart = { type: 'text-start', id: this.#textId }
    return [
      ...(said === '' ? [] : [{ type: 'reset' } as const]),
      ...this.#think(thoughts.trim()),
      ...this.#endThoughts(),
      ...this.#text(seen.slice(lost.end).trimStart()),
    ]
  }

  /** Finds a closing tag that ends reasoning at the end of a line or sentence, not one the text mentions. */
  #lostTag(seen: string, atEnd: boolean): { index: number; end: number } | undefined {
    for (const { 0: tag, index } of seen.matchAll(/<\/think(?:ing)?>/g)) {
      const end = index + tag.length
      // Already checked when it arrived.
      if (end < this.#tail.length) continue
      // The next character is not known yet.
      if (end === seen.length && !atEnd) return undefined
      const before = seen.slice(0, index)
      const after = seen.slice(end, end + 1)
      const ends = /^[\r\n]?$/.test(after) || /\n[ \t]*$/.test(before) || /[.!?…。！？]$/.test(before)
      const fences = this.#fences + count(before.slice(Math.max(0, this.#tail.length - 2)), '```')
      const quoted = /[`'"“‘]$/.test(before) || fences % 2 === 1 || this.#opened || before.includes('<think')
      if (ends && !quoted) return { index, end }
    }
    return undefined
  }

  #flush(): Part[] {
    const state = this.#state
    if (state === 'done') return []
    const parts = state === 'text' ? this.#plain('', true) : []
    this.#state = 'done'
    if (state === 'text') return parts
    if (state === 'start') return this.#text(this.#takeHeld())
    return [...this.#think(this.#takeHeld()), ...this.#endThoughts()]
  }

  #takeHeld(): string {
    const held = this.#held
    this.#held = ''
    return held
  }

  /** Whitespace alone is not reasoning. */
  #think(text: string): Part[] {
    const delta = this.#thinking ? text : text.trimStart()
    if (delta === '') return []
    const start: Part = { type: 'reasoning-start', id: 'think', providerMetadata: tagged }
    const parts: Part[] = [...(this.#thinking ? [] : [start]), { type: 'reasoning-delta', id: 'think', delta }]
    this.#thinking = true
    return parts
  }

  #endThoughts(): Part[] {
    return this.#thinking ? [{ type: 'reasoning-end', id: 'think' }] : []
  }

  #text(delta: string): Part[] {
    return delta === '' ? [] : [...this.#starting(), { type: 'text-delta', id: this.#textId, delta }]
  }

  #starting(): Part[] {
    const start = this.#textStart
    this.#textStart = undefined
    return start === undefined ? [] : [start]
  }
}

function count(text: string, what: string): number {
  return text.split(what).length - 1
}

/** Length of the longest suffix of the text that is a prefix of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}
