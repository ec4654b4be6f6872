import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { OfficeAction, OfficeEdit, OfficeFormat, OfficeRequest } from '@troupe/core'
import { emptyZip, joinPieces, readZipDirectory, spliceZip } from '../zip/splice-zip.ts'
import { blankDocx } from './blank/blank-docx.ts'
import { blankPptx } from './blank/blank-pptx.ts'
import { blankXlsx } from './blank/blank-xlsx.ts'
import { openDocx } from './docx/document.ts'
import { editDocx } from './docx/edit-docx.ts'
import { outlineDocx } from './docx/outline.ts'
import { editPptx } from './pptx/edit-pptx.ts'
import { openPptx, outlinePptx } from './pptx/presentation.ts'
import { OfficePackage } from './shared/package.ts'
import { editXlsx } from './xlsx/edit-xlsx.ts'
import { diffLines, finishXlsx, openXlsx } from './xlsx/workbook.ts'

/** Larger files are refused, because an edit holds them in memory. */
const maxFileBytes = 64 * 2 ** 20
const maxOutline = 400_000

/** Applies actions to an office file, all or none. Writes nothing. */
export function editOffice({
  format,
  file,
  extension,
  actions,
  pictures = {},
  results,
  date,
}: OfficeRequest): OfficeEdit {
  const notes = new Set<string>()
  const source = file === undefined ? undefined : readSource(file.path)
  const pkg = new OfficePackage(source ?? blank(format))
  const editor = editors[format](pkg, { date, pictures, notes, results: results?.path })
  noteMacros(pkg, notes)
  const before = source === undefined ? [] : (editor.outline?.() ?? [])
  for (const [index, action] of actions.entries()) {
    try {
      if (!editor.apply(action)) throw new Error(`it is not an action for ${titles[format]}.`)
    } catch (error) {
      throw new Error(`Action ${index + 1} (${action.action}) failed, so nothing was changed: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }
  editor.finish?.()
  const { before: old, after } = editor.sides?.() ?? { before, after: editor.outline?.() ?? [] }
  if (extension !== undefined) setMainType(pkg, extension)
  const { pieces, parts } = pkg.save()
  const sides = trimSides(old, after)
  return source === undefined
    ? { pieces: [joinPieces(blank(format), pieces)], ...sides, parts, notes: [...notes] }
    : { pieces, sha256: hash('sha256', source, 'hex'), ...sides, parts, notes: [...notes] }
}

interface Editor {
  apply(action: OfficeAction): boolean
  /** The whole file as lines for a diff. */
  outline?(): string[]
  finish?(): void
  /** Only what changed, where the whole file would be too long. */
  sides?(): { before: string[]; after: string[] }
}

interface Given {
  date: string
  pictures: Readonly<Record<string, string>>
  notes: Set<string>
  results: string | undefined
}

const titles: Record<OfficeFormat, string> = { docx: 'documents', xlsx: 'workbooks', pptx: 'presentations' }

const editors: Record<OfficeFormat, (pkg: OfficePackage, given: Given) => Editor> = {
  docx(pkg, given) {
    const docx = openDocx(pkg, given)
    return { apply: (action) => editDocx(docx, action), outline: () => outlineDocx(docx) }
  },
  xlsx(pkg, { notes, results }) {
    const xlsx = openXlsx(pkg, notes)
    const finish = (): void => {
      if (results === undefined) finishXlsx(xlsx)
      else finishXlsx(xlsx, openXlsx(new OfficePackage(readSource(results)), new Set()))
    }
    return { apply: (action) => editXlsx(xlsx, action), finish, sides: () => diffLines(xlsx) }
  },
  pptx(pkg, given) {
    const pptx = openPptx(pkg, given)
    return { apply: (action) => editPptx(pptx, action, workbookOf), outline: () => outlinePptx(pptx) }
  },
}

const blanks: Record<OfficeFormat, () => Record<string, string>> = { docx: blankDocx, xlsx: blankXlsx, pptx: blankPptx }

/** A workbook with one sheet of values, for the data of a chart. */
function workbookOf(rows: (string | number)[][]): Uint8Array {
  const edit = editOffice({ format: 'xlsx', actions: [{ action: 'set_cells', cell: 'A1', values: rows }], date: '' })
  return joinPieces(Buffer.alloc(0), edit.pieces)
}

/** Templates, files with macros and plain files differ in the type of their main part. */
function setMainType(pkg: OfficePackage, extension: string): void {
  const main = pkg.main()
  const old = pkg.typeOf(main) ?? ''
  const hasMacros = /macroEnabled/i.test(old)
  const kind = mainTypes[extension]
  if (kind === undefined || kind === old) return
  if (hasMacros !== extension.endsWith('m'))
    throw new Error(
      hasMacros
        ? 'The file contains macros, so its name must keep an extension for them: docm, xlsm, pptm.'
        : `The file contains no macros, so "${extension}" is the wrong extension.`,
    )
  pkg.setType(main, kind)
}

const open = 'application/vnd.openxmlformats-officedocument'
const mainTypes: Record<string, string> = {
  docx: `${open}.wordprocessingml.document.main+xml`,
  dotx: `${open}.wordprocessingml.template.main+xml`,
  docm: 'application/vnd.ms-word.document.macroEnabled.main+xml',
  dotm: 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
  xlsx: `${open}.spreadsheetml.sheet.main+xml`,
  xltx: `${open}.spreadsheetml.template.main+xml`,
  xlsm: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml',
  xltm: 'application/vnd.ms-excel.template.macroEnabled.main+xml',
  pptx: `${open}.presentationml.presentation.main+xml`,
  potx: `${open}.presentationml.template.main+xml`,
  pptm: 'application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml',
  potm: 'application/vnd.ms-powerpoint.template.macroEnabled.main+xml',
}

function blank(format: OfficeFormat): Buffer {
  const zip = emptyZip()
  const parts = Object.entries(blanks[format]()).map(([name, text]) => [name, Buffer.from(text)] as const)
  return joinPieces(zip, spliceZip(zip, readZipDirectory(zip), new Map(parts)))
}

function readSource(path: string): Buffer {
  const { size } = statSync(path)
  if (size > maxFileBytes)
    throw new Error(`The file has ${Math.ceil(size / 2 ** 20)} MB; at most ${maxFileBytes / 2 ** 20} MB can be edited.`)
  const bytes = readFileSync(path)
  if (bytes.length === 0) throw new Error('The file is empty. Use another path to create a new file.')
  if (bytes.readUInt32BE(0) === 0xd0cf11e0)
    throw new Error(
      'The file is encrypted, or in the old binary format. Ask the user to remove the password, or convert it first: call this tool with "from" and a new path.',
    )
  return bytes
}

function noteMacros(pkg: OfficePackage, notes: Set<string>): void {
  const macros = pkg.names().filter((name) => /vbaProject\.bin$|\/xlm|macrosheets\//i.test(name))
  if (macros.length > 0) notes.add(`The file contains macros (${macros.join(', ')}). They are kept and were not run.`)
  const signed = pkg.names().some((name) => /^_xmlsignatures\//i.test(name))
  if (signed) notes.add('The file has a digital signature, which is no longer valid after a change.')
}

/** Cuts what is the same at both ends, so that little is sent. */
function trimSides(before: string[], after: string[]): { before: string; after: string } {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  const from = Math.max(0, start - 3)
  const cut = (lines: string[]): string => {
    const text = lines.slice(from, Math.min(lines.length, lines.length - end + 3)).join('\n')
    return text === '' ? '' : `${text.slice(0, maxOutline)}\n`
  }
  return { before: cut(before), after: cut(after) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
