import {
  append,
  child,
  contentOf,
  type Element,
  elements,
  fragment,
  insertChildren,
  prefixOf,
  remove,
  setAttribute,
  valueOf,
} from '../../xml/edit-xml.ts'
import { childrenNamed, descendants, escapeXml, parseXml, textOf } from '../../xml/parse-xml.ts'
import { nearestNote } from '../shared/nearest.ts'
import type { OfficePackage } from '../shared/package.ts'
import { isCallingOut, rangesOf } from './formulas.ts'
import { cellName, type Range } from './references.ts'
import { Sheet } from './sheet.ts'

export interface SheetEntry {
  name: string
  part: string
  element: Element
}

/** An Excel workbook during an edit. */
export interface Xlsx {
  pkg: OfficePackage
  main: string
  root: Element
  notes: Set<string>
  /** Sheets that were looked at, by part. */
  open: Map<string, Sheet>
  /** Cells before and after, for the diff. */
  before: Map<string, string>
  after: Map<string, string>
  /** Cells whose values changed, so that formulas that use them are out of date. */
  changed: { sheet: string; range: Range }[]
  /** Formulas were added, removed or moved. */
  hasNewFormulas: boolean
  strings?: string[] | undefined
}

export function openXlsx(pkg: OfficePackage, notes: Set<string>): Xlsx {
  const main = pkg.main()
  const root = pkg.root(main)
  if (child(root, 'sheets') === undefined)
    throw new Error('The file is not a workbook, or it is an .xlsb, which cannot be edited. Save it as xlsx.')
  return {
    pkg,
    main,
    root,
    notes,
    open: new Map(),
    before: new Map(),
    after: new Map(),
    changed: [],
    hasNewFormulas: false,
  }
}

/** In the order of the tabs. Relationships have another order. */
export function sheetEntries({ pkg, main, root }: Xlsx): SheetEntry[] {
  return elements(child(root, 'sheets'), 'sheet').flatMap((element) => {
    const part = pkg.targetOf(main, valueOf(element, 'id'))
    return part === undefined ? [] : [{ name: valueOf(element, 'name') ?? '', part, element }]
  })
}

export function findEntry(xlsx: Xlsx, name: string | undefined): SheetEntry {
  const entries = sheetEntries(xlsx)
  const found =
    name === undefined
      ? entries.find(({ part }) =>
          /worksheet/i.test(xlsx.pkg.relationships(xlsx.main).find(({ target }) => target === part)?.kind ?? ''),
        )
      : entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found
  const names = entries.map((entry) => entry.name)
  throw new Error(
    name === undefined
      ? 'The workbook has no worksheets.'
      : `There is no sheet ${JSON.stringify(name)}.${nearestNote(name, names) || ` Sheets: ${names.slice(0, 20).join(', ')}.`}`,
  )
}

export function openSheet(xlsx: Xlsx, name: string | undefined): Sheet {
  const entry = findEntry(xlsx, name)
  return openPart(xlsx, entry)
}

export function openPart(xlsx: Xlsx, { name, part }: SheetEntry): Sheet {
  const known = xlsx.open.get(part)
  if (known !== undefined) return known
  const sheet = new Sheet(name, part, xlsx.pkg.text(part))
  xlsx.open.set(part, sheet)
  return sheet
}

/** Worksheets only: charts and dialogs have no cells. */
export function* allSheets(xlsx: Xlsx): Generator<Sheet> {
  for (const entry of sheetEntries(xlsx)) {
    if (!xlsx.pkg.has(entry.part)) continue
    const known = xlsx.open.get(entry.part)
    if (known !== undefined) yield known
    else if (/<([\w.-]+:)?sheetData\b/.test(xlsx.pkg.text(entry.part))) yield openPart(xlsx, entry)
  }
}

/** The text of a cell as a person would type it. */
export function cellText(xlsx: Xlsx, cell: Element | undefined): string {
  if (cell === undefined) return ''
  const formula = child(cell, 'f')
  if (formula !== undefined) {
    const text = contentOf(formula)
    return text === '' ? '=(shared formula)' : `=${text}`
  }
  const value = child(cell, 'v')
  const raw = value === undefined ? '' : contentOf(value)
  switch (valueOf(cell, 't')) {
    case 's':
      return sharedStrings(xlsx)[Number(raw)] ?? ''
    case 'inlineStr':
      return plainOf(child(cell, 'is'))
    case 'b':
      return raw === '1' ? 'TRUE' : 'FALSE'
    default:
      return raw
  }
}

function plainOf(parent: Element | undefined): string {
  if (parent === undefined) return ''
  return elements(parent)
    .map((each) => {
      const local = each.name.slice(prefixOf(each).length)
      if (local === 't') return contentOf(each)
      return local === 'r' ? contentOf(child(each, 't') ?? { text: '', raw: '' }) : ''
    })
    .join('')
}

function sharedStrings(xlsx: Xlsx): string[] {
  if (xlsx.strings !== undefined) return xlsx.strings
  const part = xlsx.pkg.related(xlsx.main, 'sharedStrings')
  const source = part === undefined ? '' : xlsx.pkg.text(part)
  const strings: string[] = []
  for (const [xml] of source.matchAll(/<(?:[\w.-]+:)?si\b[^>]*?(?:\/>|>[^]*?<\/(?:[\w.-]+:)?si>)/g)) {
    const [item] = parseXml(xml).children
    if (item?.name === undefined) strings.push('')
    else {
      const direct = childrenNamed(item, 't').map(textOf)
      const runs = childrenNamed(item, 'r').flatMap((run) => [...descendants(run, 't')].map(textOf))
      strings.push([...direct, ...runs].join(''))
    }
  }
  xlsx.strings = strings
  return strings
}

/** Notes a cell for the diff. The first call decides what it was before. */
export function noteCell(xlsx: Xlsx, sheet: Sheet, row: number, column: number, change: () => void): void {
  const anchor = `${sheet.name}!${cellName({ row, column })}`
  if (!xlsx.before.has(anchor)) xlsx.before.set(anchor, cellText(xlsx, sheet.cell(row, column)))
  change()
  xlsx.after.set(anchor, cellText(xlsx, sheet.cell(row, column)))
}

/** A line of the diff that is no cell. */
export function noteChange(xlsx: Xlsx, line: string): void {
  xlsx.after.set(`${line}\u0000${xlsx.after.size}`, '')
}

export function diffLines({ before, after }: Xlsx): { before: string[]; after: string[] } {
  const line = ([anchor, text]: [string, string]): string =>
    anchor.includes('\u0000') ? anchor.slice(0, anchor.indexOf('\u0000')) : `${anchor}: ${text.replaceAll('\n', ' ⏎ ')}`
  return {
    before: [...before].filter(([, text]) => text !== '').map(line),
    after: [...after].filter(([anchor, text]) => text !== '' || anchor.includes('\u0000')).map(line),
  }
}

const maxExactFormulas = 5000

/**
 * Ends an edit: clears the stored results of formulas that depend on changed cells, so that every program computes them,
 * and writes the sheets.
 */
export function finishXlsx(xlsx: Xlsx, results?: Xlsx): void {
  if (xlsx.changed.length > 0 || xlsx.hasNewFormulas) {
    const formulas = [...allSheets(xlsx)].flatMap((sheet) =>
      [...sheet.formulas()].map((found) => ({ sheet, ...found })),
    )
    clearDependents(xlsx, formulas)
    if (formulas.length > 0) {
      requestCalculation(xlsx)
      dropCalculationChain(xlsx)
    }
    const callers = formulas.filter(({ formula }) => isCallingOut(contentOf(formula)))
    if (callers.length > 0)
      xlsx.notes.add(
        `${callers.length === 1 ? 'A formula calls' : `${callers.length} formulas call`} another program or the network (${callers
          .slice(0, 3)
          .map(({ sheet, row, column }) => `${sheet.name}!${cellName({ row: row.number, column })}`)
          .join(', ')}). They were not evaluated.`,
      )
  }
  if (results !== undefined) takeResults(xlsx, results)
  for (const sheet of xlsx.open.values()) {
    const xml = sheet.save()
    if (xml !== undefined) xlsx.pkg.set(sheet.part, xml)
  }
}

/** Stores the results of formulas that another program computed. */
function takeResults(xlsx: Xlsx, results: Xlsx): void {
  const known = new Set(sheetEntries(results).map(({ name }) => name))
  let count = 0
  for (const sheet of allSheets(xlsx)) {
    if (!known.has(sheet.name)) continue
    const computed = openSheet(results, sheet.name)
    for (const { row, cell, column } of sheet.formulas()) {
      const result = computed.cell(row.number, column)
      const value = child(result, 'v')
      if (result === undefined || value === undefined) continue
      const type = valueOf(result, 't')
      clearResult(sheet, cell)
      setAttribute(cell, 't', type === 's' ? 'str' : type)
      append(
        cell,
        ...fragment(
          `<${sheet.prefix}v>${escapeXml(type === 's' ? cellText(results, result) : contentOf(value))}</${sheet.prefix}v>`,
        ),
      )
      sheet.isChanged = true
      count++
    }
  }
  noteChange(xlsx, `Recalculated ${count} ${count === 1 ? 'formula' : 'formulas'}`)
}

interface FormulaCell {
  sheet: Sheet
  row: { number: number }
  cell: Element
  formula: Element
  column: number
}

function clearDependents(xlsx: Xlsx, formulas: readonly FormulaCell[]): void {
  if (formulas.length > maxExactFormulas) {
    for (const { sheet, cell } of formulas) clearResult(sheet, cell)
    return
  }
  const waiting = formulas.map((each) => {
    const text = contentOf(each.formula)
    const used = text === '' ? { ranges: [], isOpen: true } : rangesOf(text, each.sheet.name)
    return { ...each, ...used }
  })
  const queue = [...xlsx.changed]
  const done = new Set<Element>()
  const take = (each: (typeof waiting)[number]): void => {
    done.add(each.cell)
    clearResult(each.sheet, each.cell)
    const { row, column } = { row: each.row.number, column: each.column }
    queue.push({ sheet: each.sheet.name, range: { top: row, bottom: row, left: column, right: column } })
  }
  for (const each of waiting) if (each.isOpen) take(each)
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { sheet, range } = next
    for (const each of waiting) {
      if (done.has(each.cell)) continue
      if (each.ranges.some((used) => used.sheet.toLowerCase() === sheet.toLowerCase() && overlaps(used.range, range)))
        take(each)
    }
  }
}

function overlaps(a: Range, b: Range): boolean {
  return a.top <= b.bottom && b.top <= a.bottom && a.left <= b.right && b.left <= a.right
}

function clearResult(sheet: Sheet, cell: Element): void {
  const value = child(cell, 'v')
  if (value === undefined) return
  remove(value)
  if (valueOf(cell, 't') !== undefined) setAttribute(cell, 't', undefined)
  sheet.isChanged = true
}

/** Excel computes every formula when it opens the file. */
function requestCalculation({ root }: Xlsx): void {
  let properties = child(root, 'calcPr')
  if (properties === undefined) {
    const order = [
      'oleSize',
      'customWorkbookViews',
      'pivotCaches',
      'smartTagPr',
      'smartTagTypes',
      'webPublishing',
      'fileRecoveryPr',
      'webPublishObjects',
      'extLst',
    ]
    const next = elements(root).find((each) => order.includes(each.name.slice(prefixOf(each).length)))
    ;[properties] = fragment(`<${prefixOf(root)}calcPr/>`) as [Element]
    insertChildren(root, next === undefined ? root.children.length : root.children.indexOf(next), [properties])
  }
  setAttribute(properties, 'fullCalcOnLoad', '1')
}

/** The order of calculation is optional, and wrong once formulas moved. */
export function dropCalculationChain({ pkg, main }: Xlsx): void {
  const chain = pkg.relationships(main).find(({ kind }) => kind === 'calcChain')
  if (chain === undefined) return
  if (pkg.has(chain.target)) pkg.remove(chain.target)
  pkg.unrelate(main, chain.id)
}

/** Every defined name. */
export function definedNames({ root }: Xlsx): Element[] {
  return elements(child(root, 'definedNames'), 'definedName')
}
