import type { StoredMessage } from '@troupe/core/protocol'
import type { ContextPiece } from '../api/context-info.ts'
import { messageText } from '../chat/session-state.ts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { t } from '../texts/t.ts'

const longest = 90

/** What a piece is called on the page. Answers are told apart by how they begin, where the page has them. */
export function pieceTitle(piece: ContextPiece, message: Pick<StoredMessage, 'parts'> | undefined): string {
  const { kind, name } = piece
  if (kind === 'summary') return t.context.summaryOfOlder
  if (kind === 'instructions') return name.charAt(0).toUpperCase() + name.slice(1)
  if (kind === 'tool') return name
  if (name.startsWith('user')) return `${t.context.you}${name.slice('user'.length)}`
  if (!name.startsWith('assistant')) return name
  const start = stripMarkdown(messageText(message).slice(0, 4 * longest)).replaceAll(/\s+/g, ' ')
  if (start === '') return t.context.answer
  return `${t.context.answer}: ${start.length > longest ? `${start.slice(0, longest).toWellFormed()}…` : start}`
}
