import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { OfficeAction, OfficeEdit, OfficeFormat, OfficeRequest } from '@troupe/core'
import { emptyZip, joinPieces, readZipDirectory, spliceZip } from '../zip/splice-zip.ts'
import { blankDocx } from './blank/blank-docx.ts'
import { openDocx } from './docx/document.ts'
import { editDocx } from './docx/edit-docx.ts'
import { outlineDocx } from './docx/outline.ts'
import { OfficePackage } from './shared/package.ts'

/** Larger files are refused, because an edit holds them in memory. */
const maxFileBytes = 64 * 2 ** 20
const maxOutline = 400_000

/** Applies actions to an office file, all or none. Writes nothing. */
export function editOffice({ format, file, actions, pictures = {}, date }: OfficeRequest): OfficeEdit {
  const notes = new Set<string>()
  const open = editors[format]
  if (open === undefined) throw new Error(`Files of type "${format}" cannot be edited yet.`)
  const source = file === undefined ? undefined : readSource(file.path)
  const pkg = new OfficePackage(source ?? blank(format))
  const editor = open(pkg, { date, pictures, notes })
  noteMacros(pkg, notes)
  const before = source === undefined ? [] : editor.outline()
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
  const after = editor.outline()
  const { pieces, parts } = pkg.save()
  const sides = trimSides(before, after)
  return source === undefined
    ? { pieces: [joinPieces(blank(format), pieces)], ...sides, parts, notes: [...notes] }
    : { pieces, sha256: hash('sha256', source, 'hex'), ...sides, parts, notes: [...notes] }
}

interface Editor {
  apply(action: OfficeAction): boolean
  /** Lines for a diff. */
  outline(): string[]
  finish?(): void
}

interface Given {
  date: string
  pictures: Readonly<Record<string, string>>
  notes: Set<string>
}

const titles: Record<OfficeFormat, string> = { docx: 'documents', xlsx: 'workbooks', pptx: 'presentations' }

const editors: Partial<Record<OfficeFormat, (pkg: OfficePackage, given: Given) => Editor>> = {
  docx(pkg, given) {
    const docx = openDocx(pkg, given)
    return { apply: (action) => editDocx(docx, action), outline: () => outlineDocx(docx) }
  },
}

const blanks: Partial<Record<OfficeFormat, () => Record<string, string>>> = { docx: blankDocx }

function blank(format: OfficeFormat): Buffer {
  const zip = emptyZip()
  const parts = Object.entries(blanks[format]?.() ?? {}).map(([name, text]) => [name, Buffer.from(text)] as const)
  return joinPieces(zip, spliceZip(zip, readZipDirectory(zip), new Map(parts)))
}

function readSource(path: string): Buffer {
  const { size } = statSync(path)
  if (size > maxFileBytes) throw new Error(`The file has ${Math.ceil(size / 2 ** 20)} MB; at most ${maxFileBytes / 2 ** 20} MB can be edited.`)
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
