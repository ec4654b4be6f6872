import type { Tables } from '../stores/sql/tables.ts'
import { aliasPattern } from './audit-aliases.ts'

const maxTerms = 60
const maxTermLength = 64
const maxDetailLength = 4000
const maxTextLength = 500
const hidden = '[hidden]'
const separator = '\u0001'
const secretName = /(?:api_?key|password|passphrase|secret|token|authorization|cookie|credential|private_?key)$/i

/** Everything that a search can find an entry by: its fields, and the words of its texts. */
export function termsOf(entry: Tables['audit_entry']): string[] {
  const { actor, action, target_type, target, outcome, request_id, address, detail } = entry
  const group = action.split('.', 1)[0] ?? action
  const texts = [action, target_type, target, outcome, request_id, detail].join(' ')
  const aliases = [actor, target, address, detail].flatMap((text) => text.match(aliasPattern) ?? [])
  const terms = new Set([
    fieldTerm('actor', actor),
    fieldTerm('action', action),
    fieldTerm('action', group),
    fieldTerm('outcome', outcome),
    ...(target === '' ? [] : [fieldTerm('target', target)]),
    ...aliases,
    ...wordsOf(texts.replaceAll(aliasPattern, ' ')),
  ])
  return [...terms].slice(0, maxTerms)
}

export function fieldTerm(field: 'actor' | 'action' | 'target' | 'outcome', value: string): string {
  return `${field}:${value}`.slice(0, maxTermLength)
}

/** Lowercase words and their parts: `git push_it` gives `git`, `push_it`, `push`, `it`. Han text gives pairs. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>()
  for (const [whole] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}][\p{L}\p{N}_.@-]*/gu)) {
    const trimmed = whole.replace(/[_.@-]+$/, '')
    words.add(trimmed.slice(0, maxTermLength))
    for (const part of trimmed.split(/[^\p{L}\p{N}]+/u)) if (part !== '') words.add(part.slice(0, maxTermLength))
    for (const [run] of trimmed.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu))
      for (let i = 0; i + 1 < run.length; i++) words.add(run.slice(i, i + 2))
  }
  return [...words]
}

/** The words that a search asks for. Han text is found by its pairs, other text by whole words. */
export function queryWords(text: string): string[] {
  return [
    ...new Set(
      [
        ...text
          .normalize('NFKC')
          .toLowerCase()
          .matchAll(/[\p{L}\p{N}][\p{L}\p{N}_.@-]*/gu),
      ].flatMap(([whole]) => {
        const word = whole.replace(/[_.@-]+$/, '').slice(0, maxTermLength)
        const isHan = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{3,}$/u.test(word)
        return isHan ? Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2)) : [word]
      }),
    ),
  ]
}

/** A detail without secrets, of a bounded size. */
export function detailOf(detail: Record<string, unknown>, redact: (text: string) => string): Record<string, unknown> {
  const clean = withoutSecrets(detail, redactTogether(detail, redact), 0) as Record<string, unknown>
  const text = JSON.stringify(clean)
  return text.length <= maxDetailLength ? clean : { shortened: text.slice(0, maxDetailLength).toWellFormed() }
}

/** Looking for secrets has a cost per call, so all texts of a detail are looked at as one. */
function redactTogether(detail: object, redact: (text: string) => string): (text: string) => string {
  const texts = new Set<string>()
  JSON.stringify(detail, (key, value: unknown) => {
    for (const text of [key, value]) if (typeof text === 'string' && !text.includes(separator)) texts.add(text)
    return value
  })
  const all = [...texts]
  const clean = redact(all.join(separator)).split(separator)
  if (clean.length !== all.length) return redact
  const known = new Map(all.map((text, i) => [text, clean[i] as string]))
  return (text) => known.get(text) ?? redact(text)
}

/** Text that every database takes. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '')
}

function withoutSecrets(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') {
    const clean = cleanText(redact(value))
    return clean.length > maxTextLength ? `${clean.slice(0, maxTextLength).toWellFormed()}…` : clean
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth > 5) return '…'
  if (Array.isArray(value)) return value.slice(0, 100).map((one) => withoutSecrets(one, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (one === undefined) return []
      const isSecret = secretName.test(key) && typeof one === 'string' && one !== ''
      return [[redact(key), isSecret ? hidden : withoutSecrets(one, redact, depth + 1)]]
    }),
  )
}
