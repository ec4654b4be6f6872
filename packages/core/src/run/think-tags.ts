import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** What was streamed of this step is void; its texts follow anew. */
interface Reset {
  type: 'reset'
}

type Part = LanguageModelV4StreamPart | Reset

/** Thoughts that came as text are shown, and never sent back: the model expects its own text without them. */
const tagged = { troupe: { tagged: true } }

export function isTagged(providerMetadata: object | undefined): boolean {
  return (providerMetadata as Partial<typeof tagged> | undefined)?.troupe?.tagged === true
}

/** Providers that separate thoughts from text by themselves. */
const separating = /^(anthropic|google|openai\.responses|xai|gateway|codex)/

/** Longer texts are not taken for thoughts any more. */
const longest = 200_000

/**
 * Makes thoughts of what a model puts between `<think>` tags at the beginning of its answer, as local servers leave it
 * without a reasoning parser. Many of them leave out the opening tag, since it belongs to the prompt: then the text is
 * known for thoughts only at the closing tag, and what was streamed is taken back. Undefined for providers that need none.
 */
export function createThinkTags(provider: string): ThinkTags | undefined {
  return separating.test(provider) ? undefined : new ThinkTags()
}

class ThinkTags {
  /** `start`: nothing but blanks so far. `thoughts`: after an opening tag. `text`: no tag yet. `done`: as it comes. */
  #state: 'start' | 'thoughts' | 'text' | 'done' = 'start'
  /** `start`, `thoughts`: held back, as it may belong to a tag. `text`: everything so far. */
  #held = ''
  #closing = ''
  /** The text that has been announced; it starts when it has something to say. */
  #textId = ''
  #textStart: LanguageModelV4StreamPart | undefined
  /** How much of the text is out. */
  #sent = 0
  #hadThoughts = false
  /** A thought is being told. */
  #thinking = false

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
        // Thoughts were all of this text.
        const silent = this.#hadThoughts && this.#textStart !== undefined
        const start = this.#starting()
        return silent ? parts : [...parts, ...start, part]
      }
      case 'stream-start':
      case 'response-metadata':
      case 'raw':
        return [part]
      default:
        // Thoughts of their own, calls, the end: tags are looked for in a text that comes first.
        return [...this.#flush(), ...(this.#hadThoughts ? [] : this.#starting()), part]
    }
  }

  #textDelta(delta: string): Part[] {
    if (this.#state === 'done') return this.#text(delta.replace(/^\s+/, ''))
    this.#held += delta
    if (this.#state === 'start') {
      const opened = /^\s*<(think|thinking)>\s*/.exec(this.#held)
      if (opened !== null) {
        this.#closing = `</${opened[1]}>`
        this.#held = this.#held.slice(opened[0].length)
        this.#state = 'thoughts'
        this.#hadThoughts = true
        return this.#thoughts()
      }
      if (/^\s*(<(t(h(i(n(k(i(n(g)?)?)?)?)?)?)?)?)?$/.test(this.#held)) return []
      this.#state = 'text'
    }
    return this.#state === 'thoughts' ? this.#thoughts() : this.#plain()
  }

  #thoughts(): Part[] {
    const end = this.#held.indexOf(this.#closing)
    const ready = end === -1 ? this.#held.length - overlap(this.#held, this.#closing) : end
    const parts = this.#think(this.#held.slice(0, ready))
    this.#held = this.#held.slice(ready)
    if (end === -1) return parts
    const rest = this.#held.slice(this.#closing.length)
    this.#state = 'done'
    return [...parts, ...this.#endThoughts(), ...this.#text(rest.replace(/^\s+/, ''))]
  }

  /** Text as it comes, until a closing tag that nothing opened. */
  #plain(atEnd = false): Part[] {
    const lost = this.#lostTag(atEnd)
    if (lost === undefined) {
      const parts = this.#rest()
      if (this.#held.length > longest) this.#state = 'done'
      return parts
    }
    const sent = this.#sent > 0
    this.#state = 'done'
    this.#hadThoughts = true
    if (sent) this.#textStart = { type: 'text-start', id: this.#textId }
    return [
      ...(sent ? [{ type: 'reset' } as const] : []),
      ...this.#think(this.#held.slice(0, lost.index).trim()),
      ...this.#endThoughts(),
      ...this.#text(this.#held.slice(lost.end).replace(/^\s+/, '')),
    ]
  }

  /** A closing tag that ends thoughts, and is not what the text speaks about: it stands at the end of a line or sentence. */
  #lostTag(atEnd: boolean): { index: number; end: number } | undefined {
    const from = Math.max(0, this.#sent - '</thinking>'.length)
    for (const found of this.#held.slice(from).matchAll(/<\/think(?:ing)?>/g)) {
      const index = from + found.index
      const end = index + found[0].length
      if (end === this.#held.length && !atEnd) return undefined
      const before = this.#held.slice(0, index)
      const after = this.#held.slice(end, end + 1)
      const ends =
        after === '' || after === '\n' || after === '\r' || /\n[ \t]*$/.test(before) || /[.!?…。！？]$/.test(before)
      const quoted = /[`'"“‘]$/.test(before) || (before.match(/```/g)?.length ?? 0) % 2 === 1
      if (ends && !quoted && !before.includes('<think')) return { index, end }
    }
    return undefined
  }

  /** What is held back after all. */
  #flush(): Part[] {
    const state = this.#state
    if (state === 'done') return []
    if (state === 'text') {
      const parts = this.#plain(true)
      this.#state = 'done'
      return parts
    }
    this.#state = 'done'
    if (state === 'start') return this.#rest()
    return [...this.#think(this.#held), ...this.#endThoughts()]
  }

  /** Blanks alone are no thought. */
  #think(text: string): Part[] {
    const delta = this.#thinking ? text : text.replace(/^\s+/, '')
    if (delta === '') return []
    const start: Part = { type: 'reasoning-start', id: 'think', providerMetadata: tagged }
    const parts: Part[] = [...(this.#thinking ? [] : [start]), { type: 'reasoning-delta', id: 'think', delta }]
    this.#thinking = true
    return parts
  }

  #endThoughts(): Part[] {
    return this.#thinking ? [{ type: 'reasoning-end', id: 'think' }] : []
  }

  #rest(): Part[] {
    const text = this.#held.slice(this.#sent)
    this.#sent = this.#held.length
    return text === '' ? [] : [...this.#starting(), { type: 'text-delta', id: this.#textId, delta: text }]
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

/** How many characters at the end may begin the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}
