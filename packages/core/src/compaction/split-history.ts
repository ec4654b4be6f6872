import type { CallNotes, Part } from '../protocol/message.ts'
import type { PromptMessage } from '../run/compact.ts'
import { splitSteps } from './boundaries.ts'
import type { TokenGauge } from './token-gauge.ts'

/**
 * A history in at most so many parts, each of at most so many tokens. Cut between messages and steps; what is too long
 * in itself keeps its beginning and its end, and where even that is too much the oldest is left out.
 */
export function splitHistory(
  messages: readonly PromptMessage[],
  gauge: TokenGauge,
  budget: number,
  most: number,
): (readonly PromptMessage[])[] {
  const units = messages.flatMap(({ id, role, parts }): PromptMessage[] =>
    role === 'assistant'
      ? splitSteps(parts).map((step) => ({ ...(id !== undefined && { id }), role, parts: step }))
      : [{ ...(id !== undefined && { id }), role, parts }],
  )
  const total = gauge.messages(units)
  const perUnit = Math.min(
    budget * 0.8,
    Math.max((most * budget * 0.8) / units.length, total > most * budget ? 0 : budget * 0.8),
  )
  const groups: { tokens: number; units: PromptMessage[] }[] = []
  for (const unit of units) {
    const tokens = gauge.messages([unit])
    const kept = tokens > perUnit ? shortened(unit, perUnit / tokens) : unit
    const counted = Math.min(tokens, perUnit)
    const group = groups.at(-1)
    if (group === undefined || group.tokens + counted > budget * 0.9) groups.push({ tokens: counted, units: [kept] })
    else {
      group.tokens += counted
      group.units.push(kept)
    }
  }
  return groups.slice(-most).map((group) => group.units)
}

/** About this share of a message or step, thoughts left out. */
function shortened({ parts, ...message }: PromptMessage, share: number): PromptMessage {
  return {
    ...message,
    parts: parts.flatMap((part): Part[] => {
      if (part.type === 'reasoning') return []
      if (part.type === 'text') return [{ ...part, text: keepEnds(part.text, share) }]
      if (!('toolCallId' in part)) return part.type.startsWith('data-') ? [] : [part]
      const { input, output, toolMetadata } = part as {
        input?: unknown
        output?: unknown
        toolMetadata?: { troupe?: CallNotes }
      }
      const told = toolMetadata?.troupe?.modelText ?? toText(output)
      const troupe = { ...toolMetadata?.troupe, modelText: keepEnds(told, share) }
      return [
        {
          ...part,
          input: { input: keepEnds(toText(input), share) },
          toolMetadata: { ...toolMetadata, troupe },
        } as Part,
      ]
    }),
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** The beginning and the end. */
function keepEnds(text: string, share: number): string {
  const length = Math.floor(text.length * share * 0.9)
  if (length >= text.length) return text
  const head = Math.floor(length * 0.7)
  const tail = text.slice(text.length - (length - head))
  return `${text.slice(0, head)} […] ${tail}`.toWellFormed()
}
