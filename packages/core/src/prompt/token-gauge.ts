import type { CallNotes, Part } from '@troupe/protocol'
import type { PromptMessage } from './apply-compactions.ts'

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
    return textTokens(text) * this.#ratio
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
  if (part.type === 'text' || part.type === 'reasoning') return textTokens(part.text)
  if (part.type === 'file') return fileTokens
  if (part.type === 'steering-message')
    return part.parts.reduce((sum, one) => sum + partTokens(one as Part), frameTokens)
  if ('toolCallId' in part) return frameTokens + valueTokens(part.input) + resultTokens(part)
  if (!('data' in part) || !/^data-(skill|command|mention)$/.test(part.type)) return 0
  const { pictures } = (part.data ?? {}) as { pictures?: unknown[] }
  return valueTokens(part.data) + (pictures?.length ?? 0) * fileTokens
}

function resultTokens(part: Extract<Part, { toolCallId: string }>): number {
  const notes = (part as { toolMetadata?: { troupe?: CallNotes } }).toolMetadata?.troupe
  if (notes?.modelText !== undefined) return textTokens(notes.modelText)
  const { output, errorText } = part as { output?: unknown; errorText?: string }
  return errorText === undefined ? valueTokens(output) : textTokens(errorText)
}

function valueTokens(value: unknown): number {
  if (value === undefined) return 0
  return textTokens(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** About four characters per token; about one in scripts without spaces. */
function textTokens(text: string): number {
  let dense = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x2e80) dense++
  return Math.ceil(dense + (text.length - dense) / 4)
}
