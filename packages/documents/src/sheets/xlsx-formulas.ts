import { columnName, columnNumber, maxColumn, maxRow } from './address.ts'

/** Moves the relative references of a formula, as a spreadsheet program does when it is copied. */
export function shiftFormula(formula: string, rows: number, columns: number): string {
  // Text, quoted sheet names and names of functions are skipped by the first alternatives.
  return formula.replace(
    /"(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_.][\w.]*\(|(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![\w(])|[A-Za-z_][\w.]*/g,
    (match, columnFixed?: string, column?: string, rowFixed?: string, row?: string) => {
      if (column === undefined || row === undefined) return match
      const newColumn = columnFixed === '$' ? columnNumber(column) : columnNumber(column) + columns
      const newRow = rowFixed === '$' ? Number(row) : Number(row) + rows
      if (newColumn < 1 || newColumn > maxColumn || newRow < 1 || newRow > maxRow) return '#REF!'
      return `${columnFixed}${columnName(newColumn)}${rowFixed}${newRow}`
    },
  )
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Decodes the five entities of XML, character numbers, and the escapes of OOXML (`_x000D_`). */
export function decodeEntities(text: string): string {
  let decoded = text
  if (decoded.startsWith('<![CDATA[') && decoded.endsWith(']]>')) decoded = decoded.slice(9, -3)
  else if (decoded.includes('&'))
    decoded = decoded.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (match, decimal, hex, name: string) => {
      if (name !== undefined) return entities[name] ?? match
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
      return code > 0x10_ff_ff ? match : String.fromCodePoint(code)
    })
  return decoded.includes('_x')
    ? decoded.replace(/_x([\dA-F]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : decoded
}
