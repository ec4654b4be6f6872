import type { Buffer } from 'node:buffer'
import { closestMatchMessage } from './closest-match.ts'
import type { TextFormat } from './encoding.ts'
import { findIndented } from './find-indented.ts'
import { findExactly, findLoosely, hasCrlf } from './find-text.ts'
import { createYielder, type Yielder } from './scan-bytes.ts'
import {
  type EditMatch,
  type EditPlan,
  type Replacement,
  type TextEdit,
  type TextUnits,
  textUnits,
} from './text-edit.ts'

/** Search that tolerates one kind of difference. */
interface MatchStrategy {
  /** Start of a sentence: "Ignoring blanks at line ends". */
  ignoring: string
  note: string
  /** Returns the first matches, at most `maxPlaces`. */
  find(file: TextUnits, edit: TextEdit, rest: Yielder): Promise<EditMatch[]>
}

/** One more than a message lists. */
const maxPlaces = 11

/** Larger files are only searched for the exact text. */
const maxBytes = 2 ** 24

const looseStrategies: MatchStrategy[] = [
  {
    ignoring: 'Ignoring trailing whitespace',
    note: 'old_string matched only when trailing whitespace was ignored.',
    find: (file, edit, rest) => findLoosely(file, edit, { punctuation: false, limit: maxPlaces }, rest),
  },
  {
    ignoring: 'With different indentation',
    note: 'old_string matched only with different indentation, so new_string was re-indented to fit. Check the result.',
    find: (file, edit, rest) => findIndented(file, edit, maxPlaces, rest),
  },
  {
    ignoring: 'Ignoring typographic quotes, dashes and spaces',
    note: 'old_string matched only when typographic quotes, dashes and spaces were treated as plain ones.',
    find: (file, edit, rest) => findLoosely(file, edit, { punctuation: true, limit: maxPlaces }, rest),
  },
  {
    ignoring: 'Without its empty first line',
    note: 'old_string matched only without its empty first line.',
    find: findWithoutFirst,
  },
]

/** Models add an empty line before a block, although in the file it comes first or follows a non-empty line. */
async function findWithoutFirst(file: TextUnits, edit: TextEdit, rest: Yielder): Promise<EditMatch[]> {
  const emptyLine = /^[ \t]*\n(?=[ \t]*\S)/
  const oldText = edit.oldText.replace(emptyLine, '')
  if (oldText === edit.oldText) return []
  const shorter = { oldText, newText: edit.newText.replace(emptyLine, ''), all: false }
  for (const find of [findExactly, looseStrategies[0]!.find, looseStrategies[1]!.find]) {
    const found = (await find(file, shorter, rest)).filter(({ start }) => file.beginsLine(start))
    if (found.length > 0) return found.slice(0, maxPlaces)
  }
  return []
}

/**
 * Computes the replacements of an edit. All other bytes stay as they are, decodable or not. Keeps the file's line
 * endings: a line feed in either text matches the local line ending. If nothing matches exactly, tries again with one
 * tolerance at a time and accepts only a unique match. Runs in linear time and yields to the event loop. Throws an
 * Error for the model.
 */
export async function planEdit(
  bytes: Buffer,
  format: TextFormat,
  given: TextEdit,
  { mayLookAgain = () => true }: { mayLookAgain?: () => boolean } = {},
): Promise<EditPlan> {
  const rest = createYielder()
  const file = textUnits(bytes, format)
  const edit = withPlainEndings(file, given)
  const exact = await findExactly(file, edit, rest)
  if (exact.length > 1 && !edit.all) {
    throw new Error(
      `old_string is in the file ${exact.length} times (lines ${lineNumbers(file, exact)}). Include more surrounding lines to make it unique, or set replace_all.`,
    )
  }
  if (exact.length > 0) return { replacements: await toReplacements(exact, rest) }
  const isLong = bytes.length > maxBytes
  for (const { ignoring, note, find } of !isLong && mayLookAgain() ? looseStrategies : []) {
    const found = await find(file, edit, rest)
    if (found.length === 1) return { replacements: [found[0]!.replacement()], note }
    if (found.length > 1) {
      const count = found.length === maxPlaces ? `at least ${maxPlaces - 1} places` : `${found.length} places`
      throw new Error(
        `old_string is not in the file exactly. ${ignoring} it would match ${count} (lines ${lineNumbers(file, found)}). Copy it exactly from the file, with enough surrounding lines.`,
      )
    }
    if (rest.due()) await rest.yield()
  }
  throw new Error(await closestMatchMessage(isLong ? file.decodeStart(maxBytes) : file.decode(), edit, rest))
}

async function toReplacements(matches: readonly EditMatch[], rest: Yielder): Promise<Replacement[]> {
  const replacements: Replacement[] = []
  for (const [index, match] of matches.entries()) {
    replacements.push(match.replacement())
    if (index % 256 === 0 && rest.due()) await rest.yield()
  }
  if (rest.due()) await rest.yield()
  return replacements
}

/** If the file has line endings, normalizes the model's to line feeds. Otherwise leaves them alone. */
function withPlainEndings(file: TextUnits, edit: TextEdit): TextEdit {
  if (!edit.oldText.includes('\r\n') && !edit.newText.includes('\r\n')) return edit
  if (!hasCrlf(file) && file.finder('\n')(0) === -1) return edit
  return { ...edit, oldText: edit.oldText.replaceAll('\r\n', '\n'), newText: edit.newText.replaceAll('\r\n', '\n') }
}

function lineNumbers(file: TextUnits, found: readonly EditMatch[]): string {
  const numbers: number[] = []
  let [line, at] = [1, 0]
  for (const { start } of found.slice(0, maxPlaces - 1)) {
    line += file.feedsBetween(at, start)
    at = start
    numbers.push(line)
  }
  return found.length >= maxPlaces ? `${numbers.join(', ')}, ...` : numbers.join(', ')
}
