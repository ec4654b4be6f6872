import type { OfficeActionOf } from '@troupe/core'
import {
  append,
  below,
  child,
  contentOf,
  type Element,
  elements,
  fragment,
  insertChildren,
  prefixOf,
  remove,
  setAttribute,
  setText,
  valueOf,
} from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import { declaration, declarePrefix } from '../shared/package.ts'
import { forgetSheet, renameInFormula } from './formulas.ts'
import {
  allSheets,
  definedNames,
  dropCalculationChain,
  findEntry,
  noteChange,
  sheetEntries,
  type Xlsx,
} from './workbook.ts'

const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml'
const mainAddress = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

export function addSheet(xlsx: Xlsx, { name, position }: OfficeActionOf<'add_sheet'>): void {
  const address = prefixOf(xlsx.root) === '' ? (xlsx.root.attributes['xmlns'] ?? mainAddress) : mainAddress
  insertSheet(
    xlsx,
    name,
    `${declaration}<worksheet xmlns="${address}"><sheetFormatPr defaultRowHeight="15"/><sheetData/></worksheet>`,
    position,
  )
  noteChange(xlsx, `Sheet added: ${name}`)
}

function insertSheet(xlsx: Xlsx, name: string, xml: string, position?: number): string {
  checkName(xlsx, name)
  const { pkg, main, root } = xlsx
  const part = pkg.add('xl/worksheets/sheet%.xml', xml, sheetType)
  const id = pkg.relate(main, 'worksheet', part)
  const list = child(root, 'sheets')!
  const known = elements(list, 'sheet')
  const number = Math.max(0, ...known.map((each) => Number(valueOf(each, 'sheetId')))) + 1
  declarePrefix(root, 'r', 'http://schemas.openxmlformats.org/officeDocument/2006/relationships')
  const added = fragment(`<${prefixOf(root)}sheet name="${escapeXml(name)}" sheetId="${number}" r:id="${id}"/>`)
  const next = position === undefined ? undefined : known[position - 1]
  if (next === undefined) append(list, ...added)
  else {
    shiftLocalNames(xlsx, known.indexOf(next), 1)
    insertChildren(list, list.children.indexOf(next), added)
  }
  return part
}

function checkName(xlsx: Xlsx, name: string): void {
  if (name.length > 31 || /[\\/?*[\]:]|^'|'$/.test(name))
    throw new Error(`${JSON.stringify(name)} cannot name a sheet: use at most 31 characters without \\ / ? * [ ] :`)
  if (sheetEntries(xlsx).some((entry) => entry.name.toLowerCase() === name.toLowerCase()))
    throw new Error(`There is a sheet ${JSON.stringify(name)} already.`)
}

export function renameSheet(xlsx: Xlsx, { sheet, name }: OfficeActionOf<'rename_sheet'>): void {
  const entry = findEntry(xlsx, sheet)
  if (entry.name === name) return
  if (entry.name.toLowerCase() !== name.toLowerCase()) checkName(xlsx, name)
  rewriteFormulas(xlsx, (formula) => renameInFormula(formula, entry.name, name))
  setAttribute(entry.element, 'name', name)
  const opened = xlsx.open.get(entry.part)
  if (opened !== undefined) xlsx.open.delete(entry.part)
  if (opened !== undefined) {
    const xml = opened.save()
    if (xml !== undefined) xlsx.pkg.set(entry.part, xml)
  }
  for (const part of xlsx.pkg.names().filter((each) => /pivotCacheDefinition[^/]*\.xml$/i.test(each)))
    for (const source of below(xlsx.pkg.root(part), 'worksheetSource'))
      if (valueOf(source, 'sheet') === entry.name) setAttribute(source, 'sheet', name)
  noteChange(xlsx, `Sheet renamed: ${entry.name} → ${name}`)
}

export function copySheet(xlsx: Xlsx, { sheet, name }: OfficeActionOf<'copy_sheet'>): void {
  const entry = findEntry(xlsx, sheet)
  const { pkg } = xlsx
  const opened = xlsx.open.get(entry.part)
  const source = opened?.save() ?? pkg.text(entry.part)
  // Tables, drawings and comments belong to one sheet. The copy gets the cells and their formats.
  const plain = source
    .replace(
      /<(?:[\w.-]+:)?(drawing|legacyDrawing|legacyDrawingHF|picture|oleObjects|controls|tableParts|extLst)\b[^>]*?(?:\/>|>[^]*?<\/(?:[\w.-]+:)?\1>)/g,
      '',
    )
    .replace(/\stabSelected="1"/, '')
    .replace(/(<(?:[\w.-]+:)?pageSetup\b[^>]*?)\sr:id="[^"]*"/, '$1')
  const part = insertSheet(xlsx, name, plain)
  for (const { kind, target, isExternal, id } of pkg.relationships(entry.part)) {
    if (kind !== 'hyperlink') continue
    const made = pkg.relate(part, 'hyperlink', target, { external: isExternal })
    for (const link of below(pkg.root(part), 'hyperlink'))
      if (valueOf(link, 'id') === id) setAttribute(link, 'r:id', made)
  }
  const lost = pkg
    .relationships(entry.part)
    .filter(({ kind }) => ['drawing', 'table', 'comments', 'pivotTable'].includes(kind))
  if (lost.length > 0)
    xlsx.notes.add(
      `The copy "${name}" has the cells of "${entry.name}", but not its charts, pictures, tables and comments.`,
    )
  xlsx.hasNewFormulas = true
  noteChange(xlsx, `Sheet copied: ${entry.name} → ${name}`)
}

export function removeSheet(xlsx: Xlsx, { sheet }: OfficeActionOf<'remove_sheet'>): void {
  const entry = findEntry(xlsx, sheet)
  const entries = sheetEntries(xlsx)
  const visible = entries.filter(({ element }) => !/hidden/i.test(valueOf(element, 'state') ?? ''))
  if (visible.length === 1 && visible[0]?.part === entry.part)
    throw new Error('A workbook needs at least one visible sheet.')
  const index = entries.findIndex(({ part }) => part === entry.part)
  const { pkg, main } = xlsx
  for (const name of definedNames(xlsx)) if (valueOf(name, 'localSheetId') === String(index)) remove(name)
  shiftLocalNames(xlsx, index + 1, -1)
  xlsx.open.delete(entry.part)
  const owned = pkg
    .relationships(entry.part)
    .filter(
      ({ isExternal, kind }) =>
        !isExternal &&
        ['table', 'comments', 'threadedComment', 'vmlDrawing', 'drawing', 'printerSettings'].includes(kind),
    )
  const id = pkg.relationships(main).find(({ target, kind }) => target === entry.part && kind === 'worksheet')?.id
  pkg.remove(entry.part)
  for (const { target } of owned) if (pkg.has(target)) pkg.remove(target)
  if (id !== undefined) pkg.unrelate(main, id)
  remove(entry.element)
  rewriteFormulas(xlsx, (formula) => forgetSheet(formula, entry.name))
  for (const view of elements(child(xlsx.root, 'bookViews'), 'workbookView'))
    for (const name of ['activeTab', 'firstSheet'])
      if (Number(valueOf(view, name) ?? 0) >= entries.length - 1) setAttribute(view, name, '0')
  dropCalculationChain(xlsx)
  xlsx.hasNewFormulas = true
  noteChange(xlsx, `Sheet removed: ${entry.name}`)
}

/** Names of one sheet refer to it by its position. */
function shiftLocalNames(xlsx: Xlsx, from: number, by: number): void {
  for (const name of definedNames(xlsx)) {
    const id = valueOf(name, 'localSheetId')
    if (id !== undefined && Number(id) >= from) setAttribute(name, 'localSheetId', String(Number(id) + by))
  }
}

/** Rewrites formulas in cells, names, formats, validations and charts. */
function rewriteFormulas(xlsx: Xlsx, change: (formula: string) => string): void {
  const rewrite = (element: Element): boolean => {
    const old = contentOf(element)
    const now = change(old)
    if (now !== old) setText(element, now)
    return now !== old
  }
  for (const sheet of allSheets(xlsx)) {
    for (const { formula } of sheet.formulas()) if (rewrite(formula)) sheet.isChanged = true
    for (const formula of below(sheet.root, 'formula', 'formula1', 'formula2', 'f')) rewrite(formula)
  }
  for (const name of definedNames(xlsx)) rewrite(name)
  for (const part of xlsx.pkg.names().filter((each) => /(^|\/)charts\/chart[^/]*\.xml$/i.test(each)))
    for (const formula of below(xlsx.pkg.root(part), 'f')) rewrite(formula)
}
