import type { Replacement, TextEdit } from './text-edit.ts'
import { commonEnds, endingAt } from './find-exactly.ts'
import { lookalikes } from './lookalikes.ts'
import type { TextUnits } from './text-units.ts'

/**
 * Every place that matches when blanks before line endings are ignored and, with `punctuation`, typographic characters
 * stand for plain ones and composed for decomposed ones. What old and new text have in common at both ends keeps the
 * bytes that the file has there.
 */
export function findLoosely(file: TextUnits, edit: TextEdit, { punctuation }: { punctuation: boolean }): Replacement[] {
  const [oldText, newText] = punctuation
    ? [edit.oldText.normalize('NFC'), edit.newText.normalize('NFC')]
    : [edit.oldText, edit.newText]
  const { start, end } = commonEnds(oldText, newText)
  const tokens = tokensOf(oldText)
  if (tokens.length === 0) return []
  const pattern = [
    tokens.filter((token) => token.at < start),
    tokens.filter((token) => token.at >= start && token.at < oldText.length - end),
    tokens.filter((token) => token.at >= oldText.length - end),
  ].map((part) => `(${part.map(({ text }) => patternOf(text)).join('')})`)
  const inserted = newText.slice(start, newText.length - end)
  const raw = file.units()
  return matches(raw, pattern.join('')).map((match) => {
    const [, kept = '', replaced = ''] = match
    const from = match.index + kept.length
    const to = from + replaced.length
    const units = file.encode(inserted).replaceAll('\n', endingAt(file, from, to))
    return { start: file.byteAt(from), end: file.byteAt(to), bytes: file.toBytes(units) }
  })

  function patternOf(character: string): string {
    if (character === '\n') return '[ \\t]*\\r?\\n'
    const like = punctuation ? lookalikes(character) : [character]
    const units = like.filter((one) => file.canEncode(one)).map((one) => escaped(file.encode(one)))
    if (units.length === 0) return '(?!)'
    return units.length === 1 ? (units[0] as string) : `(?:${units.join('|')})`
  }
}

/** Characters with their place, without the blanks that end a line. */
function tokensOf(text: string): { text: string; at: number }[] {
  const tokens: { text: string; at: number }[] = []
  const dropBlanks = (): void => {
    while (tokens.length > 0 && /[ \t]/.test(tokens.at(-1)?.text ?? '')) tokens.pop()
  }
  let at = 0
  for (const character of text) {
    if (character === '\n') dropBlanks()
    tokens.push({ text: character, at })
    at += character.length
  }
  dropBlanks()
  return tokens
}

/** Every match, also those that overlap. A pattern too long for an expression matches nothing. */
function matches(text: string, pattern: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  let expression: RegExp
  try {
    expression = new RegExp(pattern, 'g')
    for (let match = expression.exec(text); match !== null && match[0] !== ''; match = expression.exec(text)) {
      found.push(match)
      expression.lastIndex = match.index + 1
    }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error
  }
  return found
}

function escaped(units: string): string {
  return units.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
