import type { Part, StoredMessage } from '@troupe/core/protocol'
import { isToolCall, readToolCall } from './tool-call.ts'

const mostOutput = 4000

/** A message as a Markdown document of its own: text as it was written, calls as quotations, files and sources as links. */
export function messageMarkdown(message: Pick<StoredMessage, 'parts'>): string {
  const pieces = message.parts.map(pieceOf).filter((piece) => piece !== '')
  const sources = message.parts.flatMap((part) =>
    part.type === 'source-url' ? [`- [${plain(part.title ?? part.url)}](${address(part.url)})`] : [],
  )
  return [...pieces, ...(sources.length > 0 ? [sources.join('\n')] : [])].join('\n\n')
}

function pieceOf(part: Part): string {
  if (isToolCall(part)) {
    const { title, summary, output, errorText } = readToolCall(part, {
      progress: undefined,
      live: false,
      latest: false,
    })
    const head = `> **${plain(title)}**${summary === undefined ? '' : ` ${plain(summary)}`}`
    const result = errorText ?? (typeof output === 'string' ? output : undefined)
    return result === undefined || result.trim() === '' ? head : `${head}\n\n${fenced(result)}`
  }
  if (part.type === 'text') return part.text.trim()
  if (part.type === 'file') return `[${plain(part.filename ?? part.mediaType)}](${address(part.url)})`
  if (part.type === 'steering-message')
    return part.parts.flatMap((said) => (said.type === 'text' ? `> ${said.text}` : [])).join('\n')
  return ''
}

/** A fence that is longer than any inside. */
function fenced(text: string): string {
  const cut = text.length > mostOutput ? `${text.slice(0, mostOutput).toWellFormed()}\n…` : text
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${cut.trimEnd()}\n${fence}`
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[[\]*`]/g, String.raw`\$&`)
}

function address(url: string): string {
  return url.startsWith('data:')
    ? ''
    : url.replaceAll(/[\s()<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
