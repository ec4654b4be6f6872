import type { Answer, Ask } from '@troupe/core'
import { isRecord, numberIn, recordsIn, textIn } from '../api/read-fields.ts'
import { ApiError } from '../api/request.ts'
import { readEditedInput } from '../chat/asks/input-editor.tsx'
import { callSubject } from '../chat/session/message-parts.ts'
import { readRetained } from '../chat/session/session-hooks.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { hunksIn } from '../displays/parts/hunk-choice.ts'
import { translateServerText, translateSummary } from '../texts/server-texts.ts'
import '../texts/show-cards.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'

/** Describes the effect of allowing a call once, with the answer that does it. */
export interface PlannedAnswer {
  ask: Ask
  title: string
  /** Commands, files, addresses: exactly what is allowed. */
  subjects: string[]
  /** Choices that the user made in the card. */
  note: string | undefined
  /** Null if the user's edit of the input is invalid, so the call cannot be allowed yet. */
  answer: Answer | null
}

/** Includes edits and rejected changes that the user left in the card. */
export function planAnswer(ask: Ask, store: ChatSessionStore): PlannedAnswer {
  const title = translateServerText(ask.title, 'action', 'title')
  const planned = { ask, title, subjects: subjectsOf(ask) }
  const text = readRetained<string>(store, `${ask.id} input`)
  const edited = text === undefined ? undefined : readEditedInput(text, ask.input)
  if (edited?.ok === false) return { ...planned, note: undefined, answer: null }
  if (edited !== undefined && 'input' in edited)
    return { ...planned, note: t.review.withEdits, answer: { type: 'approve', input: edited.input } }
  const ids = hunksIn(ask.content).map(({ id }) => id)
  // The card ignores them while its editor is open.
  const rejected = edited === undefined ? (readRetained<readonly string[]>(store, `${ask.id} rejected`) ?? []) : []
  const hunks = ids.filter((id) => !rejected.includes(id))
  if (ids.length < 2 || hunks.length === ids.length) return { ...planned, note: undefined, answer: { type: 'approve' } }
  const remark = readRetained<string>(store, `${ask.id} rejection`)?.trim() || undefined
  return {
    ...planned,
    note: hunks.length === 0 ? t.inbox.willMakeNone : t.inbox.willMake(hunks.length, ids.length),
    answer: hunks.length === 0 ? { type: 'deny', remark } : { type: 'approve', hunks, remark },
  }
}

/** Commands in full, with everything between their parts, not as the model describes them. */
export function subjectsOf({ commands, content, summary, input }: Ask): string[] {
  const command = isRecord(content)
    ? content['kind'] === 'terminal'
      ? textIn(content['command'])
      : undefined
    : commands && textIn(content)
  if (command !== undefined) return [command]
  if (commands !== undefined && commands.length > 0) return commands.map(({ text }) => text)
  const files = isRecord(content) && content['kind'] === 'patch' ? recordsIn(content['files']) : [content]
  const diffs = files.filter(isRecord).filter(({ kind }) => kind === 'diff')
  if (diffs.length > 0) return diffs.map(describeFile)
  const subject = summary === undefined ? callSubject(input) : translateSummary(summary)
  return subject === undefined ? [] : [subject]
}

function describeFile(file: Record<string, unknown>): string {
  const { change, from } = file
  const word = t.displays.changes[textIn(change) ?? '']
  const counts = `+${numberIn(file['added']) ?? 0} −${numberIn(file['removed']) ?? 0}`
  const path = textIn(from) === undefined ? textIn(file['path']) : `${textIn(from)} → ${textIn(file['path'])}`
  return [path, word, counts].filter((piece) => piece !== undefined).join('  ')
}

/** True if the ask was answered elsewhere, or its turn ended. Then there is nothing left to decide. */
export function isClosed(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409)
}
