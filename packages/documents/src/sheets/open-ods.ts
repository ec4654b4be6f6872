import { StringDecoder } from 'node:string_decoder'
import { Parser } from 'htmlparser2'
import { type CellRange, formatRange, maxColumn, maxRow } from './address.ts'
import { oneLine } from './markdown-table.ts'
import type { DefinedName, SheetCell, SheetInfo, SheetRow, SheetWindow, UsedRange, Workbook } from './workbook.ts'

const everything: CellRange = { top: 1, left: 1, bottom: Infinity, right: maxColumn }

/**
 * Opens an OpenDocument spreadsheet. `content` yields its content part, which is read again for each call: the format has
 * no index of sheets.
 */
export async function openOds(content: () => AsyncIterable<Uint8Array>): Promise<Workbook> {
  const outline = await scan(content(), undefined, everything, 0)
  const usedOf = new Map<SheetInfo, UsedRange>()
  for (const [index, range] of outline.used.entries()) {
    const sheet = outline.sheets[index]
    if (sheet !== undefined && range !== undefined) usedOf.set(sheet, { range })
  }
  return {
    sheets: outline.sheets,
    names: outline.names,
    notes: [],
    used: (sheet) => Promise.resolve(usedOf.get(sheet)),
    window: async (sheet, range, most) => (await scan(content(), outline.sheets.indexOf(sheet), range, most)).window,
  }
}

interface Scan {
  sheets: SheetInfo[]
  used: (CellRange | undefined)[]
  names: DefinedName[]
  window: SheetWindow
}

/** Reads the content part. With `wanted`, collects cells of that sheet and stops after them; without, measures all sheets. */
async function scan(
  bytes: AsyncIterable<Uint8Array>,
  wanted: number | undefined,
  range: CellRange,
  most: number,
): Promise<Scan> {
  const result: Scan = {
    sheets: [],
    used: [],
    names: [],
    window: { rows: [], hiddenColumns: [], merged: [], details: [] },
  }
  const collector = new SheetCollector(result, wanted, range, most)
  const decoder = new StringDecoder('utf8')
  const parser = new Parser(
    {
      onopentag: (name, attributes) => collector.open(name, attributes),
      ontext: (text) => collector.text(text),
      onclosetag: (name) => collector.close(name),
    },
    { xmlMode: true, decodeEntities: true },
  )
  for await (const chunk of bytes) {
    parser.write(decoder.write(chunk as Buffer))
    if (collector.isDone) break
  }
  collector.finish()
  return result
}

class SheetCollector {
  isDone = false
  readonly #result: Scan
  readonly #wanted: number | undefined
  readonly #range: CellRange
  readonly #most: number
  readonly #hiddenStyles = new Set<string>()
  readonly #rows: SheetRow[] = []
  readonly #hidden: CellRange[] = []
  readonly #merged: CellRange[] = []
  readonly #comments: string[] = []
  readonly #links: string[] = []
  readonly #validations = new Map<string, string>()
  readonly #validated = new Map<string, string[]>()
  #nextRow: number | undefined
  #styleName = ''
  #depth = 0
  #isCurrent = false
  #row = 0
  #rowRepeat = 1
  #isRowHidden = false
  #column = 0
  #columnRepeat = 1
  #definedColumns = 0
  #cells: SheetCell[] = []
  #count = 0
  #cell: { attributes: Record<string, string>; paragraphs: number } | undefined
  #text = ''
  #comment: { text: string; author: string; inAuthor: boolean } | undefined

  constructor(result: Scan, wanted: number | undefined, range: CellRange, most: number) {
    this.#result = result
    this.#wanted = wanted
    this.#range = range
    this.#most = most
  }

  open(name: string, attributes: Record<string, string>): void {
    switch (name) {
      case 'style:style':
        this.#styleName = attributes['style:name'] ?? ''
        break
      case 'style:table-properties':
        if (attributes['table:display'] === 'false') this.#hiddenStyles.add(this.#styleName)
        break
      case 'table:content-validation':
        this.#validations.set(attributes['table:name'] ?? '', formula(attributes['table:condition'] ?? ''))
        break
      case 'table:table':
        if (++this.#depth === 1) this.#startSheet(attributes)
        break
      case 'table:named-range':
        this.#result.names.push({
          name: attributes['table:name'] ?? '',
          refersTo: reference(attributes['table:cell-range-address'] ?? ''),
        })
        break
    }
    if (this.#depth !== 1 || !this.#isCurrent) return
    switch (name) {
      case 'table:table-column':
        this.#startColumn(attributes)
        break
      case 'table:table-row':
        this.#row++
        this.#rowRepeat = repeat(attributes['table:number-rows-repeated'], maxRow)
        this.#isRowHidden = ['collapse', 'filter'].includes(attributes['table:visibility'] ?? '')
        this.#column = 1
        this.#cells = []
        break
      case 'table:table-cell':
      case 'table:covered-table-cell':
        this.#cell = { attributes, paragraphs: 0 }
        this.#columnRepeat = repeat(attributes['table:number-columns-repeated'], maxColumn)
        this.#text = ''
        break
      case 'office:annotation':
        this.#comment = { text: '', author: '', inAuthor: false }
        break
      case 'dc:creator':
        if (this.#comment !== undefined) this.#comment.inAuthor = true
        break
      case 'text:p':
        if (this.#comment !== undefined) this.#comment.text += ' '
        else if (this.#cell !== undefined && this.#cell.paragraphs++ > 0) this.#text += '\n'
        break
      case 'text:s':
        this.#text += ' '.repeat(repeat(attributes['text:c'], 1000))
        break
      case 'text:line-break':
        this.#text += '\n'
        break
      case 'text:a':
        if (this.#cell !== undefined && this.#isWanted())
          this.#links.push(`- ${this.#cellName()}: ${oneLine(attributes['xlink:href'] ?? '')}`)
        break
    }
  }

  text(text: string): void {
    if (this.#cell === undefined || this.#depth !== 1) return
    if (this.#comment === undefined) {
      // Whitespace between elements is no text.
      if (this.#cell.paragraphs > 0) this.#text += text
    } else if (this.#comment.inAuthor) this.#comment.author += text
    else this.#comment.text += text
  }

  close(name: string): void {
    if (name === 'table:table') this.#depth--
    if (this.#isCurrent && this.#depth <= 1) {
      if (name === 'table:table-cell' || name === 'table:covered-table-cell') this.#endCell()
      else if (name === 'table:table-row') this.#endRow()
      else if (name === 'dc:creator' && this.#comment !== undefined) this.#comment.inAuthor = false
      else if (name === 'office:annotation' && this.#comment !== undefined) {
        const { author, text } = this.#comment
        if (this.#isWanted())
          this.#comments.push(`- ${this.#cellName()}${author === '' ? '' : ` (${oneLine(author)})`}: ${oneLine(text)}`)
        this.#comment = undefined
      } else if (name === 'table:table' && this.#depth === 0) {
        this.#isCurrent = false
        this.isDone = this.#wanted !== undefined
      }
    }
  }

  finish(): void {
    const lists: [string, readonly string[]][] = [
      ['Comments', this.#comments],
      ['Links', this.#links],
      [
        'Allowed values',
        [...this.#validated].map(([rule, cells]) => `- ${cells.slice(0, 10).join(', ')}: ${oneLine(rule)}`),
      ],
    ]
    this.#result.window = {
      rows: this.#rows,
      nextRow: this.#nextRow,
      hiddenColumns: this.#hidden,
      merged: this.#merged,
      details: lists.flatMap(([title, items]) => (items.length === 0 ? [] : ['', `${title}:`, ...items.slice(0, 50)])),
    }
  }

  #startSheet(attributes: Record<string, string>): void {
    const { sheets, used } = this.#result
    sheets.push({
      name: attributes['table:name'] ?? '',
      state: this.#hiddenStyles.has(attributes['table:style-name'] ?? '') ? 'hidden' : 'visible',
    })
    used.push(undefined)
    this.#isCurrent = this.#wanted === undefined || this.#wanted === sheets.length - 1
    this.#row = 0
    this.#definedColumns = 0
  }

  #startColumn(attributes: Record<string, string>): void {
    const left = this.#definedColumns + 1
    const right = left + repeat(attributes['table:number-columns-repeated'], maxColumn) - 1
    this.#definedColumns = right
    if (['collapse', 'filter'].includes(attributes['table:visibility'] ?? '') && this.#wanted !== undefined)
      this.#hidden.push({ top: 1, bottom: Infinity, left, right })
  }

  #endCell(): void {
    const cell = this.#cell
    if (cell === undefined) return
    const { attributes } = cell
    const stored = attributes['table:formula']
    const value =
      this.#text !== '' ? this.#text : (attributes['office:string-value'] ?? attributes['office:value'] ?? '')
    if (value !== '' || stored !== undefined) {
      const type = attributes['office:value-type']
      const made = {
        text: type === 'boolean' ? value.toUpperCase() : value,
        formula: stored === undefined ? undefined : formula(stored),
        isNumber: type !== undefined && type !== 'string' && type !== 'boolean',
      }
      for (let i = 0; i < this.#columnRepeat && this.#cells.length < maxColumn; i++)
        this.#cells.push({ column: this.#column + i, ...made })
    }
    this.#noteMerge(attributes)
    const rule = this.#validations.get(attributes['table:content-validation-name'] ?? '')
    if (rule !== undefined && this.#isWanted()) {
      const cells = this.#validated.get(rule) ?? []
      if (cells.length === 0) this.#validated.set(rule, cells)
      if (cells.length < 10) cells.push(this.#cellName())
    }
    this.#column += this.#columnRepeat
    this.#cell = undefined
  }

  #noteMerge(attributes: Record<string, string>): void {
    const rows = repeat(attributes['table:number-rows-spanned'], maxRow)
    const columns = repeat(attributes['table:number-columns-spanned'], maxColumn)
    if ((rows > 1 || columns > 1) && this.#wanted !== undefined && this.#merged.length < 10_000)
      this.#merged.push({
        top: this.#row,
        left: this.#column,
        bottom: this.#row + rows - 1,
        right: this.#column + columns - 1,
      })
  }

  #endRow(): void {
    const first = this.#row
    const last = first + this.#rowRepeat - 1
    this.#row = last
    const [start] = this.#cells
    if (start === undefined) return
    const index = this.#result.sheets.length - 1
    const used = this.#result.used[index]
    const right = this.#cells.at(-1)!.column
    this.#result.used[index] = {
      top: used?.top ?? first,
      left: Math.min(used?.left ?? start.column, start.column),
      bottom: last,
      right: Math.max(used?.right ?? right, right),
    }
    if (this.#wanted === undefined) return
    const cells = this.#cells.filter(({ column }) => column >= this.#range.left && column <= this.#range.right)
    if (cells.length === 0) return
    for (let number = Math.max(first, this.#range.top); number <= Math.min(last, this.#range.bottom); number++) {
      if (this.#count >= this.#most) {
        this.#nextRow = number
        this.isDone = true
        return
      }
      this.#count += cells.length
      this.#rows.push({ number, isHidden: this.#isRowHidden, cells })
    }
    if (last >= this.#range.bottom) this.isDone = true
  }

  #isWanted(): boolean {
    const { top, bottom, left, right } = this.#range
    return (
      this.#wanted !== undefined &&
      this.#row >= top &&
      this.#row <= bottom &&
      this.#column >= left &&
      this.#column <= right
    )
  }

  #cellName(): string {
    return formatRange({ top: this.#row, bottom: this.#row, left: this.#column, right: this.#column })
  }
}

function repeat(text: string | undefined, most: number): number {
  const count = Number(text ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, most) : 1
}

/** `of:=SUM([.B2:.B9])` is `=SUM(B2:B9)`. */
function formula(text: string): string {
  return text.replace(/^[\w-]+:(?==)/, '').replace(/\[([^\]]*)\]/g, (_, inside: string) => reference(inside))
}

/** `$Sheet1.$B$4:.$D$20` is `Sheet1!$B$4:$D$20`. */
function reference(text: string): string {
  const [start = '', end] = text.split(':')
  const cells = (part: string): string => part.slice(part.lastIndexOf('.') + 1)
  const sheet = start.slice(0, Math.max(0, start.lastIndexOf('.'))).replace(/^\$/, '')
  return `${sheet === '' ? '' : `${sheet}!`}${cells(start)}${end === undefined ? '' : `:${cells(end)}`}`
}
