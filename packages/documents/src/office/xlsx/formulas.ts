import { columnName, columnNumber, maxColumn, maxRow } from '../../sheets/address.ts'
import { type Range, type Shift, shiftStretch } from './references.ts'

/** A reference in a formula, with the sheet it names, if any. */
interface Reference {
  sheet: string | undefined
  text: string
}

const reference =
  /"(?:[^"]|"")*"|((?:'(?:[^']|'')+'|[\p{L}_\\][\p{L}\p{N}_.\\]*(?::[\p{L}_\\][\p{L}\p{N}_.\\]*)?|\[\d+\][^!'"()+\-*/&=<>,;{}\s]*)!)?(\$?[A-Za-z]{1,3}\$?\d{1,7}(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?\d{1,7}:\$?\d{1,7})(?![\p{L}\p{N}_.(!])|[\p{L}_\\][\p{L}\p{N}_.\\]*/gu

/** Rewrites the references of a formula. `change` gets each one, and returns its new text. */
function rewrite(formula: string, change: (found: Reference) => string): string {
  return formula.replace(reference, (whole: string, sheet: string | undefined, text: string | undefined) => {
    if (text === undefined) return whole
    return `${sheet ?? ''}${change({ sheet: sheet === undefined ? undefined : unquoted(sheet.slice(0, -1)), text })}`
  })
}

function unquoted(name: string): string {
  return name.startsWith("'") ? name.slice(1, -1).replaceAll("''", "'") : name
}

export function quotedSheet(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && !/^[A-Za-z]{1,3}\d+$/.test(name) && !/^r\d*c\d*$/i.test(name)
    ? name
    : `'${name.replaceAll("'", "''")}'`
}

/** Adjusts a formula on sheet `own` to rows or columns that move on sheet `changed`. */
export function shiftFormula(formula: string, own: string, changed: string, shift: Shift): string {
  return rewrite(formula, ({ sheet, text }) => {
    if ((sheet ?? own).toLowerCase() !== changed.toLowerCase()) return text
    return shiftText(text, shift) ?? '#REF!'
  })
}

function shiftText(text: string, shift: Shift): string | undefined {
  const [from = '', to] = text.split(':')
  const [a, b] = [split(from), split(to ?? from)]
  const key = shift.axis
  const [first, last] = [a[key], b[key]]
  // A whole column has no rows to shift.
  if (first === undefined || last === undefined) return text
  const moved = shiftStretch([Math.min(first, last), Math.max(first, last)], shift)
  if (moved === undefined) return undefined
  const [low, high] = first <= last ? moved : [moved[1], moved[0]]
  const start = joined({ ...a, [key]: low })
  return to === undefined ? start : `${start}:${joined({ ...b, [key]: high })}`
}

interface Half {
  column: number | undefined
  row: number | undefined
  fixedColumn: string
  fixedRow: string
}

function split(text: string): Half {
  const match = /^(\$?)([A-Za-z]{0,3})(\$?)(\d*)$/.exec(text)
  const [, first = '', letters = '', second = '', digits = ''] = match ?? []
  return {
    column: letters === '' ? undefined : columnNumber(letters),
    row: digits === '' ? undefined : Number(digits),
    fixedColumn: letters === '' ? '' : first,
    fixedRow: letters === '' ? first : second,
  }
}

function joined({ column, row, fixedColumn, fixedRow }: Half): string {
  return `${fixedColumn}${column === undefined ? '' : columnName(column)}${fixedRow}${row ?? ''}`
}

/** The formula of a cell `down` and `right` of the one it was written for, as when it is copied. */
export function moveFormula(formula: string, down: number, right: number): string {
  return rewrite(formula, ({ text }) => {
    const halves = text.split(':').map((half) => {
      const parts = split(half)
      const row = parts.row === undefined || parts.fixedRow !== '' ? parts.row : parts.row + down
      const column = parts.column === undefined || parts.fixedColumn !== '' ? parts.column : parts.column + right
      const isValid =
        (row === undefined || (row >= 1 && row <= maxRow)) &&
        (column === undefined || (column >= 1 && column <= maxColumn))
      return isValid ? joined({ ...parts, row, column }) : undefined
    })
    return halves.includes(undefined) ? '#REF!' : halves.join(':')
  })
}

export function renameInFormula(formula: string, from: string, to: string): string {
  return formula.replace(reference, (whole: string, sheet: string | undefined, text: string | undefined) => {
    if (text === undefined || sheet === undefined) return whole
    const name = unquoted(sheet.slice(0, -1))
    const renamed = name
      .split(':')
      .map((part) => (part.toLowerCase() === from.toLowerCase() ? to : part))
      .join(':')
    if (renamed === name) return whole
    return `${renamed.includes(':') ? `'${renamed.replaceAll("'", "''")}'` : quotedSheet(renamed)}!${text}`
  })
}

/** Replaces references to a removed sheet. */
export function forgetSheet(formula: string, name: string): string {
  return formula.replace(reference, (whole: string, sheet: string | undefined, text: string | undefined) => {
    if (text === undefined || sheet === undefined) return whole
    return unquoted(sheet.slice(0, -1)).toLowerCase() === name.toLowerCase() ? '#REF!' : whole
  })
}

/** Ranges that a formula uses. `isOpen` if it also uses names or tables, which can stand for anything. */
export function rangesOf(formula: string, own: string): { ranges: { sheet: string; range: Range }[]; isOpen: boolean } {
  const ranges: { sheet: string; range: Range }[] = []
  const rest = formula.replace(/"(?:[^"]|"")*"/g, '').replace(/[\p{L}_][\p{L}\p{N}_.]*\(/gu, '(')
  rewrite(formula, ({ sheet, text }) => {
    const [from = '', to = from] = text.split(':')
    const [a, b] = [split(from), split(to)]
    ranges.push({
      sheet: sheet ?? own,
      range: {
        top: Math.min(a.row ?? 1, b.row ?? 1),
        bottom: Math.max(a.row ?? maxRow, b.row ?? maxRow),
        left: Math.min(a.column ?? 1, b.column ?? 1),
        right: Math.max(a.column ?? maxColumn, b.column ?? maxColumn),
      },
    })
    return text
  })
  const isOpen =
    /\[|\]/.test(rest) ||
    /\b(INDIRECT|OFFSET)\(/i.test(formula) ||
    rewrite(rest, () => '')
      .replace(/\b(TRUE|FALSE)\b/gi, '')
      .match(/[\p{L}_][\p{L}\p{N}_.]{2,}/u) !== null
  return { ranges, isOpen }
}

const callsOut =
  /\b(WEBSERVICE|FILTERXML|RTD|CALL|REGISTER(?:\.ID)?|IMPORTDATA|IMPORTXML|IMPORTHTML)\s*\(|\|\s*'?[^!]*'?!|\bcmd\s*\|/i

/** True if a formula calls another program or the network. */
export function isCallingOut(formula: string): boolean {
  return callsOut.test(formula.replace(/"(?:[^"]|"")*"/g, '""'))
}
