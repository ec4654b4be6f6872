import { parseCommand, type Part } from '@troupe/core'
import { partsText } from './search.ts'

export const defaultTitle = 'New session'

const maxTitleLength = 30
/** Scripts that put no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/**
 * The first ten words of a message, at most 30 characters of them; ten characters where words are not spaced. An
 * ellipsis says that there was more.
 */
export function titleFrom(parts: Part[]): string | undefined {
  const text = cleanTitle(titleSubject(partsText(parts).slice(0, 2000)))
  if (text === '') return undefined
  const all = text.split(' ')
  const [first = '', ...words] = all.slice(0, 10)
  let title = truncateTitle(first, all.length === 1 && unspaced.test(first) ? 10 : maxTitleLength)
  for (const word of title === first ? words : []) {
    if (characters(title).length + 1 + characters(word).length > maxTitleLength) break
    title += ` ${word}`
  }
  return title === text ? title : `${title.replace(/[\s,;:.!?，。；：、]+$/u, '')}…`
}

/** What a message is about: not the command that it begins with, and of a skill only its name. */
function titleSubject(text: string): string {
  const subject = parseCommand(text)?.rest ?? text
  return subject.replace(/\/skill\/(?:\[([^\]|\n]*)(?:\|([^\]\n]*))?\]|([a-z0-9-]+))/gi, (_, name, label, plain) =>
    String(label || name || plain || ''),
  )
}

/** One line without control characters. */
export function cleanTitle(title: string): string {
  return title
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}

function truncateTitle(text: string, count: number): string {
  return characters(text).slice(0, count).join('')
}

/** As a person counts them: an emoji with its skin colour is one. Plain text needs no segmenter, which is slow to make. */
function characters(text: string): string[] {
  if (/^[\x20-\x7e]*$/.test(text)) return text.split('')
  return Array.from(new Intl.Segmenter().segment(text), (piece) => piece.segment)
}
