import { Buffer } from 'node:buffer'
import { statSync } from 'node:fs'
import path from 'node:path'
import type { DiffDisplay } from '@troupe/protocol'
import { changeFiles, withPathLocks } from '../files/file-transaction.ts'
import { missingFileMessage } from '../files/missing-file.ts'
import { type ResolvedPath, resolvePath, shownPath } from '../files/resolve-path.ts'
import { isCurrent, recordWrite, requireRead, sha256Of, type Snapshot, takeSnapshot } from '../files/snapshot.ts'
import { journalFor } from '../files/undo-folder.ts'
import { diffBytes } from '../text/diff.ts'
import { utf8Format } from '../text/encoding.ts'
import type { Documents, OfficeEdit, OfficeFormat } from '../tool/documents.ts'
import type { OfficeAction } from '../tool/office-actions.ts'
import type { ToolContext } from '../tool/tool.ts'
import { escapeCsvFormulas } from '../text/csv-formulas.ts'
import { convertible, convertOffice, findLibreOffice, withConverted } from './libreoffice.ts'
import { printDocument, printedNote } from './print-document.ts'

export interface OfficeCall {
  path: string
  from?: string | undefined
  actions: readonly OfficeAction[]
}

export interface ChangedOffice extends Omit<DiffDisplay, 'kind' | 'from'> {
  notes: readonly string[]
}

/** Formats that are edited in place, by extension. */
const editable: Record<string, OfficeFormat> = {
  docx: 'docx',
  docm: 'docx',
  dotx: 'docx',
  dotm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  xltx: 'xlsx',
  xltm: 'xlsx',
  pptx: 'pptx',
  pptm: 'pptx',
  potx: 'pptx',
  potm: 'pptx',
}

/** The format to edit in before a conversion to another one. */
const family: Record<string, OfficeFormat> = {
  ods: 'xlsx',
  csv: 'xlsx',
  xls: 'xlsx',
  tsv: 'xlsx',
  odp: 'pptx',
  ppt: 'pptx',
}

/** Actions that need the written file. */
const later = new Set(['render', 'recalculate'])

/** Edits, creates or converts one file and writes it, with its old content in the undo journal. */
export async function changeOffice(ctx: ToolContext, call: OfficeCall): Promise<ChangedOffice & { real: string }> {
  const plan = planOffice(ctx, call)
  const { target } = plan
  return withPathLocks([target.path], async () => {
    const before = await takeSnapshot(target.path, { shown: target.shown })
    requireCurrent(ctx, plan, before)
    const edit = await computeOffice(ctx, plan, before)
    const change = { path: target.path, shown: target.shown, before, after: edit.after }
    const [sha256] = await changeFiles([change], journalFor(ctx), {
      signal: ctx.signal,
      owner: ctx.state.isolation?.user,
    })
    recordWrite(
      ctx.state,
      target.path,
      sha256 ?? '',
      statSync(target.path, { bigint: true }),
      before === undefined ? 'all' : 'as-before',
    )
    return { ...(await shownChange(ctx, plan, before, edit)), real: target.path }
  })
}

/** The change that a call would make, for an approval. */
export async function previewOffice(ctx: ToolContext, call: OfficeCall): Promise<ChangedOffice> {
  const plan = planOffice(ctx, call)
  const before = await takeSnapshot(plan.target.path, { shown: plan.target.shown })
  requireCurrent(ctx, plan, before)
  // A conversion takes seconds, and its result is not text. The actions before it tell what changes.
  const edit =
    plan.actions.length === 0
      ? { before: '', text: '', notes: [], after: [] }
      : await computeOffice(ctx, { ...plan, converts: false, isPreview: true }, before)
  return shownChange(ctx, plan, before, edit)
}

interface OfficePlan {
  target: ResolvedPath
  source: ResolvedPath | undefined
  /** The format that actions are applied in. */
  format: OfficeFormat
  extension: string
  /** The source must be converted before actions apply. */
  importsFrom?: string | undefined
  converts: boolean
  /** Stores the results that LibreOffice computes for the formulas. */
  recalculates: boolean
  isPreview?: boolean
  actions: readonly OfficeAction[]
  pictures: Record<string, string>
  edit: NonNullable<Documents['edit']>
}

function planOffice(ctx: ToolContext, { path: given, from, actions }: OfficeCall): OfficePlan {
  const edit = ctx.documents?.edit
  if (edit === undefined) throw new Error('Office files cannot be edited here.')
  const target = resolvePath(ctx, given, { for: 'write' })
  const extension = extensionOf(target.path)
  const named = from === undefined ? undefined : resolvePath(ctx, from, { for: 'read' })
  if (named !== undefined && named.stats === undefined) throw new Error(missingFileMessage(named, ctx.state))
  const source = named ?? (target.stats === undefined ? undefined : target)
  const sourceExtension = source === undefined ? undefined : extensionOf(source.path)
  if (editable[extension] === undefined && !convertible.includes(extension))
    throw new Error(
      `${target.shown} is not an office file. Use docx, xlsx, pptx, odt, ods, odp, pdf, html, csv or png.`,
    )
  if (source === target && editable[extension] === undefined)
    throw new Error(
      `Files of type "${extension}" cannot be edited in place. Convert it to docx, xlsx or pptx first: give the new path, and this file as "from".`,
    )
  const format =
    editable[sourceExtension ?? extension] ?? editable[extension] ?? family[sourceExtension ?? extension] ?? 'docx'
  const importsFrom =
    sourceExtension !== undefined && editable[sourceExtension] === undefined ? sourceExtension : undefined
  const steps = actions.filter(({ action }) => !later.has(action))
  return {
    target,
    source,
    format,
    extension,
    importsFrom,
    converts: editable[extension] !== format,
    recalculates: format === 'xlsx' && actions.some(({ action }) => action === 'recalculate'),
    actions: steps,
    pictures: picturesOf(ctx, steps),
    edit,
  }
}

function requireCurrent({ state }: ToolContext, { target, source }: OfficePlan, before: Snapshot | undefined): void {
  if (before === undefined) return
  if (source !== target && !state.reads.has(target.path))
    throw new Error(`"${target.shown}" exists already. Read it first if you want to replace it, or use another path.`)
  requireRead(state, target.path, target.shown)
  if (!isCurrent(state, target.path, before))
    throw new Error(`"${target.shown}" has changed since you read it. Read it again before you change it.`)
}

interface Computed extends Pick<OfficeEdit, 'before' | 'notes'> {
  /** The new content of the file. */
  after: Uint8Array[]
  /** The new lines of the diff. */
  text: string
}

async function computeOffice(ctx: ToolContext, plan: OfficePlan, before: Snapshot | undefined): Promise<Computed> {
  const { source, target, format, actions, converts } = plan
  if (plan.importsFrom !== undefined) return computeImported(ctx, plan)
  if (converts && actions.length === 0 && source !== undefined) {
    const after = [await convertOffice(ctx, { path: source.path }, plan.extension)]
    return withSafeCells(plan, { before: '', text: '', notes: [], after })
  }
  const request = {
    format,
    file: source === undefined ? undefined : { path: source.path },
    extension: source === target ? undefined : plan.extension,
    actions,
    pictures: plan.pictures,
    date: `${new Date().toISOString().slice(0, 19)}Z`,
  }
  const first = await plan.edit(request, ctx.signal)
  const old = source === target ? before : source && (await takeSnapshot(source.path, { shown: source.shown }))
  const bytes = old?.bytes ?? Buffer.alloc(0)
  if (first.sha256 !== undefined && first.sha256 !== sha256Of(bytes))
    throw new Error(
      `"${source?.shown}" was changed by someone else during this call, so nothing was changed. Read it again.`,
    )
  const join = ({ pieces }: OfficeEdit): Uint8Array[] =>
    pieces.map((piece) => (piece instanceof Uint8Array ? piece : bytes.subarray(piece.start, piece.end)))
  const edit =
    plan.recalculates && !plan.isPreview
      ? await withConverted(ctx, { bytes: join(first), extension: format }, 'xlsx', (results) =>
          plan.edit({ ...request, results: { path: results } }, ctx.signal),
        )
      : first
  const pieces = join(edit)
  const after = converts ? [await convertEdited(ctx, plan, pieces)] : pieces
  return withSafeCells(plan, { before: edit.before, text: edit.after, notes: edit.notes, after })
}

/** Without LibreOffice, Markdown is printed as it was given, because then its pictures are kept. */
async function convertEdited(ctx: ToolContext, plan: OfficePlan, pieces: Uint8Array[]): Promise<Buffer> {
  const { source, format, extension, actions, pictures } = plan
  const inserted = actions.flatMap((action) =>
    action.action === 'insert' && action.at === undefined && action.where === undefined ? [action.markdown] : [],
  )
  const isMarkdown = source === undefined && format === 'docx' && inserted.length === actions.length
  return extension === 'pdf' && isMarkdown && findLibreOffice() === undefined
    ? printDocument(ctx, { markdown: inserted.join('\n\n'), pictures })
    : convertOffice(ctx, { bytes: pieces, extension: format }, extension)
}

/** Formats that are not edited themselves are converted first. */
async function computeImported(ctx: ToolContext, { source, extension, actions }: OfficePlan): Promise<Computed> {
  if (actions.length > 0)
    throw new Error(
      'A file of this type is converted first: call without actions, then edit the new file in a second call.',
    )
  return { before: '', text: '', notes: [], after: [await convertOffice(ctx, { path: source!.path }, extension)] }
}

/** A text that starts like a formula would run as one when somebody opens a csv file. */
function withSafeCells({ extension }: OfficePlan, computed: Computed): Computed {
  if (extension !== 'csv') return computed
  const { text, count } = escapeCsvFormulas(Buffer.concat(computed.after).toString())
  if (count === 0) return computed
  const note = `${count} ${count === 1 ? 'text starts' : 'texts start'} like a formula and got an apostrophe in front, so that no program runs it.`
  return { ...computed, after: [Buffer.from(text)], notes: [...computed.notes, note] }
}

async function shownChange(
  { state }: ToolContext,
  { target, source, converts, importsFrom }: OfficePlan,
  before: Snapshot | undefined,
  { before: old, text, notes }: Computed,
): Promise<ChangedOffice> {
  const side = (content: string): { bytes: Buffer; format: typeof utf8Format } => ({
    bytes: Buffer.from(content),
    format: utf8Format,
  })
  const diff = await diffBytes(side(source === target || source === undefined ? old : ''), side(text))
  const how = findLibreOffice() === undefined ? printedNote : 'Converted with LibreOffice.'
  const converted = converts || importsFrom !== undefined ? [how] : []
  return {
    path: shownPath(target.path, state.roots[0] ?? target.path),
    change: before === undefined ? 'created' : 'changed',
    ...diff,
    notes: [...notes, ...converted],
  }
}

function extensionOf(file: string): string {
  return path.extname(file).slice(1).toLowerCase()
}

/** Pictures that actions name, with their real paths. A call may only use those it may read. */
function picturesOf(ctx: ToolContext, actions: readonly OfficeAction[]): Record<string, string> {
  const pictures: Record<string, string> = {}
  for (const name of pictureNames(actions)) {
    const { path: real, stats } = resolvePath(ctx, name, { for: 'read' })
    if (stats?.isFile() === true && ctx.granted?.hides?.(real) !== true) pictures[name] = real
  }
  return pictures
}

/** The files that the actions read. */
export function pictureNames(actions: readonly OfficeAction[]): string[] {
  const names = actions.flatMap((action) => {
    if (action.action === 'add_image') return [action.path]
    if (!('markdown' in action) || action.markdown === undefined) return []
    return [...action.markdown.matchAll(/!\[[^\]]*\]\(<?([^)>\s]+)>?[^)]*\)/g)].map(([, name = '']) => name)
  })
  return [...new Set(names)].filter((name) => !/^[a-z]+:/i.test(name))
}
