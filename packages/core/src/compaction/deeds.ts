import type { PromptMessage } from '../run/compact.ts'

const maxLineLength = 200
const maxSummaryLength = 6000

/**
 * What was done, in lines that are made without a model: which tools were called on what, and how answers began. The
 * newest lines are kept.
 */
export function fallbackSummary(messages: readonly PromptMessage[]): string {
  const lines: string[] = []
  for (const { role, parts } of messages) {
    if (role !== 'assistant') continue
    for (const part of parts) {
      if (part.type === 'text' && part.text.trim() !== '') lines.push(`Said: ${oneLine(part.text)}`)
      else if ('toolCallId' in part && 'state' in part) {
        const { input, state, errorText } = part as { input?: unknown; state: string; errorText?: string }
        const outcome = state === 'output-error' ? ` -> ${oneLine(errorText ?? 'failed')}` : ''
        lines.push(`${part.type.replace(/^tool-/, '')} ${oneLine(JSON.stringify(input) ?? '')}${outcome}`)
      }
    }
  }
  const kept: string[] = []
  let length = 0
  for (const line of lines.toReversed()) {
    length += line.length
    if (length > maxSummaryLength) break
    kept.unshift(line)
  }
  const left = lines.length - kept.length
  return [...(left > 0 ? [`[${left} earlier lines left out]`] : []), ...kept].join('\n')
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength).toWellFormed()}…` : line
}
