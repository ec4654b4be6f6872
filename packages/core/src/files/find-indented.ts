import { findLineRuns } from './find-bytes.ts'
import { lineEndingFinder } from './find-text.ts'
import { type Reindent, reindentFor, trimBlanks } from './indentation.ts'
import type { Yielder } from './rest.ts'
import type { EditMatch, TextEdit } from './text-edit.ts'
import { type TextLine, toLines } from './text-lines.ts'
import type { TextUnits } from './text-units.ts'

/**
 * The first places that have the same lines, all of them indented by the same other amount. Lines that old and new text
 * share at both ends keep their bytes; the new ones between are indented as the place is. Whole lines only.
 */
export async function findIndented(
  file: TextUnits,
  { oldText, newText }: TextEdit,
  limit: number,
  rest: Yielder,
): Promise<EditMatch[]> {
  if (!file.canEncode(oldText)) return []
  const [oldLines, newLines] = [oldText.split('\n'), newText.split('\n')]
  // A text that ends its last line reaches to the start of the next one, whatever that is.
  const compared = oldLines.at(-1) === '' && oldLines.length > 1 ? oldLines.length - 1 : oldLines.length
  const wanted = oldLines.slice(0, compared).map((line) => trimBlanks(file.encode(line)))
  if (wanted.every((line) => line === '')) return []
  const place = toLines(file.units())
  if (rest.due()) await rest.take()
  const keys: string[] = []
  for (const [index, { text }] of place.entries()) {
    keys.push(trimBlanks(text))
    if (index % 1024 === 0 && rest.due()) await rest.take()
  }
  const endingAt = lineEndingFinder(file)
  const found: EditMatch[] = []
  let left = maxTried
  for (const at of findLineRuns(keys, wanted)) {
    if (at + oldLines.length > place.length || left <= 0 || found.length >= limit) break
    left -= oldLines.length
    const there = place.slice(at, at + oldLines.length)
    const reindent = reindentFor(oldLines.slice(0, compared), there, newLines)
    if (reindent !== undefined) found.push(matchAt(there, reindent))
    if (rest.due()) await rest.take()
  }
  return found

  function matchAt(there: readonly TextLine[], { old, now, text }: Reindent): EditMatch {
    const from = there[0]!.start
    const last = there.at(-1)!
    const to = compared === oldLines.length ? last.start + last.text.length : last.start
    const ends = compared === oldLines.length ? old : [...old, '']
    return {
      start: file.byteAt(from),
      replacement() {
        const ending = endingAt(from, to)
        const units = rewriteLines(ends, now, text, compared < oldLines.length, there, file)
          .map((line, index, all) => line.text + (index < all.length - 1 ? (line.ending ?? ending) : ''))
          .join('')
        return { start: file.byteAt(from), end: file.byteAt(to), bytes: file.toBytes(units) }
      },
    }
  }
}

/** Lines of places that are compared for their indentation, in all. */
const maxTried = 500_000

/** The new lines as they are to stand there. */
function rewriteLines(
  old: readonly string[],
  now: readonly string[],
  text: readonly string[],
  isOpen: boolean,
  there: readonly TextLine[],
  file: TextUnits,
): Pick<TextLine, 'text' | 'ending'>[] {
  const { start, end } = commonLines(old, now)
  return now.map((_, index) => {
    if (index < start) return there[index]!
    const fromEnd = now.length - index
    if (fromEnd <= end) return fromEnd === 1 && isOpen ? { text: '', ending: undefined } : there.at(-fromEnd)!
    return { text: file.encode(text[index]!), ending: undefined }
  })
}

/** How many lines are the same at both ends, without overlap. */
function commonLines(old: readonly string[], now: readonly string[]): { start: number; end: number } {
  const limit = Math.min(old.length, now.length)
  let start = 0
  while (start < limit && old[start] === now[start]) start++
  let end = 0
  while (end < limit - start && old.at(-end - 1) === now.at(-end - 1)) end++
  return { start, end }
}
