import { columnNumber } from '../../sheets/address.ts'
import {
  append,
  child,
  type Element,
  editableXml,
  elements,
  fragment,
  insertChildren,
  prefixOf,
  remove,
  setAttribute,
  valueOf,
  xmlText,
} from '../../xml/edit-xml.ts'
import { cellName, type Range } from './references.ts'

/** A row as it is in the file. It is parsed when a cell in it changes. */
export interface Row {
  number: number
  /** Source, until it is parsed. */
  xml: string
  element?: Element | undefined
}

const marker = '\u0001rows\u0001'

/**
 * A worksheet. Its rows stay text until they are needed, because a sheet can have a million cells. Everything around
 * the rows is a tree.
 */
export class Sheet {
  readonly name: string
  readonly part: string
  readonly frame: Element
  /** With its colon, or empty. */
  readonly prefix: string
  rows: Row[]
  isChanged = false
  /** Ranges of array formulas, once they were looked for. */
  arrays?: readonly Range[] | undefined
  /** Cells to write once rows and columns have moved. */
  readonly pending: { row: number; column: number; text: string }[] = []

  constructor(name: string, part: string, source: string) {
    this.name = name
    this.part = part
    const opening = /<((?:[\w.-]+:)?)sheetData\b[^>]*?(\/?)>/.exec(source)
    if (opening === null) throw new Error(`The sheet "${name}" is not a worksheet, so its cells cannot be changed.`)
    this.prefix = opening[1]!
    const start = opening.index + opening[0].length
    const end = opening[2] === '/' ? start : source.indexOf(`</${this.prefix}sheetData`, start)
    if (end === -1) throw new Error(`The sheet "${name}" is damaged.`)
    this.rows = readRows(source.slice(start, end), this.prefix)
    const before = opening[2] === '/' ? `${opening[0].slice(0, -2)}>` : opening[0]
    const after = opening[2] === '/' ? `</${this.prefix}sheetData>` : ''
    this.frame = editableXml(`${source.slice(0, opening.index)}${before}${marker}${after}${source.slice(end)}`)
  }

  get root(): Element {
    return elements(this.frame)[0]!
  }

  /** The sheet as XML, or undefined if nothing changed. */
  save(): string | undefined {
    if (!this.isChanged && this.frame.isChanged !== true) return undefined
    const rows = this.rows.map((row) => (row.element === undefined ? row.xml : xmlText(row.element))).join('')
    const [head = '', tail = ''] = xmlText(this.frame).split(marker)
    return `${head}${rows}${tail}`
  }

  /** The place of a row in `rows`, or where it would be. */
  #place(number: number): number {
    let [low, high] = [0, this.rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.rows[middle]!.number < number) low = middle + 1
      else high = middle
    }
    return low
  }

  row(number: number): Row | undefined {
    const row = this.rows[this.#place(number)]
    return row?.number === number ? row : undefined
  }

  ensureRow(number: number): Element {
    const at = this.#place(number)
    let row = this.rows[at]
    if (row?.number !== number) {
      row = { number, xml: `<${this.prefix}row r="${number}"/>` }
      this.rows.splice(at, 0, row)
    }
    this.isChanged = true
    return parsed(row)
  }

  cell(row: number, column: number): Element | undefined {
    const found = this.row(row)
    return found === undefined ? undefined : cellsOf(parsed(found)).find((each) => each.column === column)?.element
  }

  ensureCell(row: number, column: number): Element {
    const parent = this.ensureRow(row)
    const cells = cellsOf(parent)
    const known = cells.find((each) => each.column === column)
    if (known !== undefined) return known.element
    const style = this.#styleAt(parent, column)
    const [made] = fragment(
      `<${this.prefix}c r="${cellName({ row, column })}"${style === undefined ? '' : ` s="${style}"`}/>`,
    ) as [Element]
    const next = cells.find((each) => each.column > column)
    insertChildren(parent, next === undefined ? parent.children.length : parent.children.indexOf(next.element), [made])
    setAttribute(parent, 'spans', undefined)
    return made
  }

  /** A new cell looks like its row or column. */
  #styleAt(row: Element, column: number): string | undefined {
    if (valueOf(row, 'customFormat') === '1') return valueOf(row, 's')
    const found = elements(child(this.root, 'cols'), 'col').find(
      (each) => Number(valueOf(each, 'min')) <= column && column <= Number(valueOf(each, 'max')),
    )
    return valueOf(found, 'style')
  }

  /** Every formula cell, with the row it is in. Rows without formulas are not parsed. */
  *formulas(): Generator<{ row: Row; cell: Element; formula: Element; column: number }> {
    for (const row of this.rows) {
      if (row.element === undefined && !row.xml.includes(`<${this.prefix}f`)) continue
      for (const { element, column } of cellsOf(parsed(row))) {
        const formula = child(element, 'f')
        if (formula !== undefined) yield { row, cell: element, formula, column }
      }
    }
  }

  /** An element around the rows, in the order that the schema demands. */
  ensure(local: string): Element {
    const known = child(this.root, local)
    if (known !== undefined) return known
    const [made] = fragment(`<${this.prefix}${local}/>`) as [Element]
    const rank = sheetOrder.indexOf(local)
    const next = elements(this.root).find((each) => sheetOrder.indexOf(each.name.slice(prefixOf(each).length)) > rank)
    if (next === undefined) append(this.root, made)
    else insertChildren(this.root, this.root.children.indexOf(next), [made])
    return made
  }

  /** Removes an element around the rows that has no content left. */
  dropEmpty(local: string): void {
    const found = child(this.root, local)
    if (found !== undefined && elements(found).length === 0) remove(found)
  }
}

const sheetOrder = [
  'sheetPr',
  'dimension',
  'sheetViews',
  'sheetFormatPr',
  'cols',
  'sheetData',
  'sheetCalcPr',
  'sheetProtection',
  'protectedRanges',
  'scenarios',
  'autoFilter',
  'sortState',
  'dataConsolidate',
  'customSheetViews',
  'mergeCells',
  'phoneticPr',
  'conditionalFormatting',
  'dataValidations',
  'hyperlinks',
  'printOptions',
  'pageMargins',
  'pageSetup',
  'headerFooter',
  'rowBreaks',
  'colBreaks',
  'customProperties',
  'cellWatches',
  'ignoredErrors',
  'smartTags',
  'drawing',
  'legacyDrawing',
  'legacyDrawingHF',
  'drawingHF',
  'picture',
  'oleObjects',
  'controls',
  'webPublishItems',
  'tableParts',
  'extLst',
]

export function parsed(row: Row): Element {
  row.element ??= rowElement(row.xml)
  return row.element
}

function rowElement(xml: string): Element {
  const [element] = elements(editableXml(xml))
  if (element === undefined) throw new Error('A row of the sheet is damaged.')
  element.parent = undefined
  return element
}

/** Cells with their columns. A cell without a name follows the one before. */
export function cellsOf(row: Element): { element: Element; column: number }[] {
  let last = 0
  return elements(row, 'c').map((element) => {
    const letters = /^[A-Za-z]+/.exec(valueOf(element, 'r') ?? '')?.[0]
    last = letters === undefined ? last + 1 : columnNumber(letters)
    return { element, column: last }
  })
}

function readRows(source: string, prefix: string): Row[] {
  const rows: Row[] = []
  const [open, close] = [`<${prefix}row`, `</${prefix}row>`]
  let last = 0
  for (let at = source.indexOf(open); at !== -1;) {
    const tagEnd = source.indexOf('>', at)
    if (tagEnd === -1) break
    const isEmpty = source[tagEnd - 1] === '/'
    const end = isEmpty ? tagEnd + 1 : source.indexOf(close, tagEnd) + close.length
    if (end < tagEnd) throw new Error('The rows of the sheet are damaged.')
    const number = Number(/\sr\s*=\s*["'](\d+)["']/.exec(source.slice(at, tagEnd))?.[1] ?? last + 1)
    rows.push({ number, xml: source.slice(at, end) })
    last = number
    at = source.indexOf(open, end)
  }
  // Rows must be in order to be found. Some files have them mixed.
  return rows.every((row, i) => i === 0 || rows[i - 1]!.number <= row.number)
    ? rows
    : rows.toSorted((a, b) => a.number - b.number)
}
