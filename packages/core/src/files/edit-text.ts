import type { Buffer } from 'node:buffer'
import type { TextFormat } from './encoding.ts'
import { findIndented } from './find-indented.ts'
import { findExactly, hasCrlf } from './find-exactly.ts'
import { findLoosely } from './find-loosely.ts'
import { nearMissText } from './near-miss.ts'
import type { EditPlan, Replacement, TextEdit } from './text-edit.ts'
import { type TextUnits, textUnits } from './text-units.ts'

/** A way of finding that forgives one thing. */
interface Look {
  /** Begins a sentence: "Ignoring blanks at line ends". */
  ignoring: string
  /** What the result says when it found the one place. */
  note: string
  find(file: TextUnits, edit: TextEdit): Replacement[]
}

const looks: Look[] = [
  {
    ignoring: 'Ignoring blanks at line ends',
    note: 'old_string matched only when blanks at line ends were ignored.',
    find: (file, edit) => findLoosely(file, edit, { punctuation: false }),
  },
  {
    ignoring: 'With another indentation',
    note: 'old_string matched only with another indentation, so new_string was indented to fit. Check the result.',
    find: findIndented,
  },
  {
    ignoring: 'Ignoring typographic quotes, dashes and spaces',
    note: 'old_string matched only when typographic quotes, dashes and spaces were taken for plain ones.',
    find: (file, edit) => findLoosely(file, edit, { punctuation: true }),
  },
]

/**
 * Where a text is replaced, and by which bytes. Everything else keeps its bytes, whether they can be decoded or not.
 * Line endings of the file are kept: a line feed in either text stands for whatever ends the line there. When nothing
 * matches, a second look forgives one thing at a time, and only where exactly one place fits. Throws an Error for the
 * model.
 */
export function planEdit(
  bytes: Buffer,
  format: TextFormat,
  given: TextEdit,
  { mayLookAgain = () => true }: { mayLookAgain?: () => boolean } = {},
): EditPlan {
  const file = textUnits(bytes, format)
  const edit = withPlainEndings(file, given)
  const exact = findExactly(file, edit)
  if (exact.length > 1 && !edit.all) {
    throw new Error(
      `old_string is in the file ${exact.length} times (lines ${linesOf(file, exact)}). Give more lines around it so that it is there once, or set replace_all.`,
    )
  }
  if (exact.length > 0) return { replacements: exact }
  for (const { ignoring, note, find } of mayLookAgain() ? looks : []) {
    const found = find(file, edit)
    if (found.length === 1) return { replacements: found, note }
    if (found.length > 1) {
      throw new Error(
        `old_string is not in the file exactly. ${ignoring} it would match ${found.length} places (lines ${linesOf(file, found)}). Copy it exactly from the file, with enough lines around it.`,
      )
    }
  }
  throw new Error(nearMissText(file.decode(), edit))
}

/** In a file that has line endings, the model's are only line feeds; where there are none, they are what they are. */
function withPlainEndings(file: TextUnits, edit: TextEdit): TextEdit {
  if (!edit.oldText.includes('\r\n') && !edit.newText.includes('\r\n')) return edit
  if (!hasCrlf(file) && file.finder('\n')(0) === -1) return edit
  return { ...edit, oldText: edit.oldText.replaceAll('\r\n', '\n'), newText: edit.newText.replaceAll('\r\n', '\n') }
}

function linesOf(file: TextUnits, found: readonly Replacement[]): string {
  const numbers = found.slice(0, 10).map(({ start }) => file.lineAt(start))
  return found.length > 10 ? `${numbers.join(', ')}, ...` : numbers.join(', ')
}
