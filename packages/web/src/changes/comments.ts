import { useSyncExternalStore } from 'react'
import { isRecord, recordsIn, textIn } from '../api/read-fields.ts'
import { browserStorage } from '../platform/storage.ts'
import { t } from '../texts/t.ts'

/** A remark on lines of a diff, waiting to be sent. */
export interface DiffComment {
  id: string
  path: string
  /** Line numbers, of the old side if `isOld`. */
  from: number
  to: number
  isOld: boolean
  quote: string
  text: string
}

const prefix = 'troupe.comments.'
const maxQuote = 4000
const listeners = new Set<() => void>()
/** Parsed lists by storage text, so that the same text gives the same list. */
const parsed = new Map<string, { raw: string | null; list: readonly DiffComment[] }>()
const none: readonly DiffComment[] = []

/** Comments of a chat, in the order they were made. They survive a reload. */
export function readComments(sessionId: string): readonly DiffComment[] {
  const raw = browserStorage.get(prefix + sessionId)
  const known = parsed.get(sessionId)
  if (known?.raw === raw && known !== undefined) return known.list
  const list = raw === null ? none : parse(raw)
  parsed.set(sessionId, { raw, list })
  return list
}

export function useComments(sessionId: string): readonly DiffComment[] {
  return useSyncExternalStore(subscribe, () => readComments(sessionId))
}

export function addComment(sessionId: string, comment: Omit<DiffComment, 'id'>): void {
  const id = crypto.randomUUID()
  write(sessionId, [...readComments(sessionId), { ...comment, id, quote: comment.quote.slice(0, maxQuote) }])
}

export function removeComments(sessionId: string, ids: readonly string[]): void {
  write(
    sessionId,
    readComments(sessionId).filter(({ id }) => !ids.includes(id)),
  )
}

export function placeOf({ path, from, to }: Pick<DiffComment, 'path' | 'from' | 'to'>): string {
  return `${path}:${from === to ? from : `${from}-${to}`}`
}

/** One message for the agent: what the person wrote, then each comment with file, lines and code. */
export function withComments(draft: string, comments: readonly DiffComment[]): string {
  if (comments.length === 0) return draft
  const parts = comments.map((comment) => {
    const side = comment.isOld ? ` (${t.composer.commentBefore})` : ''
    return `**${inCode(placeOf(comment))}**${side}\n${fenced(comment.quote)}\n${comment.text.trim()}`
  })
  return [...(draft.trim() === '' ? [] : [draft.trimEnd()]), t.composer.commentsHeading, ...parts].join('\n\n')
}

function inCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  const room = longest > 0 ? ' ' : ''
  return `${ticks}${room}${text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '�')}${room}${ticks}`
}

/** A fence longer than any in the code. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code}\n${fence}`
}

function parse(raw: string): readonly DiffComment[] {
  try {
    return recordsIn(JSON.parse(raw)).filter(isComment)
  } catch {
    return none
  }
}

function isComment(value: unknown): value is DiffComment & Record<string, unknown> {
  if (!isRecord(value)) return false
  const isText = ['id', 'path', 'quote', 'text'].every((name) => textIn(value[name]) !== undefined)
  return isText && Number.isInteger(value['from']) && Number.isInteger(value['to'])
}

function write(sessionId: string, list: readonly DiffComment[]): void {
  browserStorage.set(prefix + sessionId, list.length === 0 ? null : JSON.stringify(list))
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  const onStorage = (event: StorageEvent) => {
    if (event.key === null || event.key.startsWith(prefix)) listener()
  }
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}
