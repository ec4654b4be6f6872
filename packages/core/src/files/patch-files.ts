import { Buffer } from 'node:buffer'
import { lstatSync, statSync } from 'node:fs'
import path from 'node:path'
import { applyHunks } from '../text/apply-hunks.ts'
import { diffBytes, type DiffSide } from '../text/diff.ts'
import { decodeText, detectFormat, utf8Format } from '../text/encoding.ts'
import { printablePath } from '../text/format.ts'
import type { PatchStep } from '../text/parse-patch.ts'
import { createYielder } from '../text/scan-bytes.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { ToolContext } from '../tool/tool.ts'
import { type ChangedFile, findPlaceholder, hardLinkNote, hardLinks } from './change-file.ts'
import { fileKind, headLength } from './file-kind.ts'
import { changeFiles, type FileChange, withPathLocks } from './file-transaction.ts'
import { missingFileMessage } from './missing-file.ts'
import { type ResolvedPath, resolvePath, shownPath } from './resolve-path.ts'
import { type FileKnowledge, isCurrent, recordWrite, type Snapshot, takeSnapshot } from './snapshot.ts'
import { journalFor } from './undo-folder.ts'

export interface PatchedFile extends ChangedFile {
  from?: string
}

/**
 * Applies all steps of a patch or none. Applies them in memory in order, each to the result of the previous one, then
 * writes a single change. Throws an Error for the model.
 */
export async function patchFiles(
  ctx: ToolContext,
  steps: readonly PatchStep[],
): Promise<{ files: PatchedFile[]; notes: string[] }> {
  const targets = await resolveTargets(steps, ctx)
  return withPathLocks(
    [...targets.values()].map((target) => target.path),
    async () => {
      const drafts = await openDrafts([...targets.values()], ctx)
      const notes = await applySteps(steps, targets, drafts, ctx)
      const changed = [...drafts.values()].filter(isChanged)
      const [hashes, files] = await Promise.all([
        changeFiles(changed.map(toChange), journalFor(ctx), { signal: ctx.signal, owner: ctx.state.isolation?.user }),
        describeDrafts(changed, drafts, ctx),
      ])
      const reads = new Map(ctx.state.reads)
      const rest = createYielder()
      for (const [index, draft] of changed.entries()) {
        recordDraft(draft, hashes[index] ?? null, reads, ctx)
        if (rest.due()) await rest.yield()
      }
      return { files, notes: [...notes, ...files.flatMap(hardLinkNotes)] }
    },
  )
}

export async function previewPatch(ctx: ToolContext, steps: readonly PatchStep[]): Promise<PatchedFile[]> {
  const { drafts } = await planPatch(ctx, steps)
  return describeDrafts([...drafts.values()], drafts, ctx)
}

/** Applies the steps in memory. Returns the changed files by real path, and their paths as the patch spells them. */
export async function planPatch(
  ctx: ToolContext,
  steps: readonly PatchStep[],
): Promise<{ drafts: Map<string, Draft>; given: Map<string, string> }> {
  const targets = await resolveTargets(steps, ctx)
  const drafts = await openDrafts([...targets.values()], ctx)
  await applySteps(steps, targets, drafts, ctx)
  const given = new Map([...targets].map(([spelled, { path: real }]) => [real, spelled]))
  return { drafts: new Map([...drafts].filter(([, draft]) => isChanged(draft))), given }
}

async function resolveTargets(steps: readonly PatchStep[], ctx: ToolContext): Promise<Map<string, ResolvedPath>> {
  const rest = createYielder()
  const targets = new Map<string, ResolvedPath>()
  for (const step of steps) {
    if (rest.due()) await rest.yield()
    for (const given of [step.path, ...(step.type === 'update' && step.moveTo !== undefined ? [step.moveTo] : [])]) {
      targets.set(given, resolvePath(ctx, given, { for: 'write' }))
    }
  }
  return targets
}

export interface Draft {
  target: ResolvedPath
  before: Snapshot | undefined
  now: Buffer | null
  /** Draft whose content this was before the patch: itself, or the file moved here. Undefined for a new file. */
  origin: Draft | undefined
  known: FileKnowledge
}

type Drafts = Map<string, Draft>

async function openDrafts(targets: readonly ResolvedPath[], { state }: ToolContext): Promise<Drafts> {
  const rest = createYielder()
  const drafts: Drafts = new Map()
  for (const target of targets) {
    if (rest.due()) await rest.yield()
    const before = await takeSnapshot(target.path, { shown: target.shown })
    const known = before === undefined ? 'all' : isCurrent(state, target.path, before) ? 'as-before' : 'part'
    const draft: Draft = { target, before, now: before?.bytes ?? null, origin: undefined, known }
    if (before !== undefined) draft.origin = draft
    drafts.set(target.path, draft)
  }
  return drafts
}

async function applySteps(
  steps: readonly PatchStep[],
  targets: Map<string, ResolvedPath>,
  drafts: Drafts,
  ctx: ToolContext,
): Promise<string[]> {
  const rest = createYielder()
  const notes: string[] = []
  for (const step of steps) {
    notes.push(...(await applyStep(step, targets, drafts, ctx)))
    if (rest.due()) await rest.yield()
  }
  return notes
}

async function applyStep(
  step: PatchStep,
  targets: Map<string, ResolvedPath>,
  drafts: Drafts,
  ctx: ToolContext,
): Promise<string[]> {
  const draft = drafts.get(targets.get(step.path)!.path)!
  if (step.type === 'add') {
    refusePlaceholder(draft, step.lines, '')
    const content = Buffer.from(step.lines.map((line) => `${line}\n`).join(''))
    const replaces = draft.now !== null && !draft.now.equals(content)
    const origin = draft.before === undefined ? undefined : draft
    Object.assign(draft, { now: content, origin, known: 'all' })
    return replaces ? [`${draft.target.shown} existed and was replaced.`] : []
  }
  if (draft.now === null) throw new Error(`Nothing was changed. ${missingFileMessage(draft.target, ctx.state)}`)
  if (step.type === 'delete' || step.moveTo !== undefined) refuseLink(step.path, ctx)
  if (step.type === 'delete') {
    Object.assign(draft, { now: null, origin: undefined })
    return []
  }
  const notes = await applyUpdate(draft, draft.now, step)
  const to = step.moveTo === undefined ? draft : drafts.get(targets.get(step.moveTo)!.path)!
  if (to === draft) return notes
  if (to.now !== null) notes.push(`${to.target.shown} existed and was replaced.`)
  Object.assign(to, { now: draft.now, origin: draft.origin, known: draft.known })
  Object.assign(draft, { now: null, origin: undefined })
  return notes
}

async function applyUpdate(
  draft: Draft,
  now: Buffer,
  { hunks }: Extract<PatchStep, { type: 'update' }>,
): Promise<string[]> {
  const { shown } = draft.target
  const kind = fileKind(now.subarray(0, headLength)).kind
  if (hunks.length > 0 && kind !== 'text') throw new Error(`Nothing was changed. ${shown} is not a text file.`)
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const added = lines.filter(({ type }) => type === 'add').map(({ text }) => text)
  refusePlaceholder(draft, added, () => decodeText(now, detectFormat(now)))
  try {
    const { bytes, notes } = await applyHunks(now, detectFormat(now), hunks)
    draft.now = bytes
    return notes.map((note) => `${shown}: ${note}`)
  } catch (error) {
    throw new Error(`Nothing was changed. ${shown}: ${(error as Error).message}`, { cause: error })
  }
}

function refusePlaceholder({ target }: Draft, lines: readonly string[], before: string | (() => string)): void {
  const text = lines.join('\n')
  if (findPlaceholder(text, '') === undefined) return
  const placeholder = findPlaceholder(text, typeof before === 'string' ? before : before())
  if (placeholder === undefined) return
  throw new Error(
    `Nothing was changed. ${target.shown}: the patch contains the placeholder "${placeholder}" instead of code. Write out the full text.`,
  )
}

/** Refuses links, since a patch does not say whether it means the link or its target. */
function refuseLink(given: string, { state }: ToolContext): void {
  const spelled = path.resolve(state.cwd, given)
  if (lstatSync(spelled, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw new Error(
    `Nothing was changed. ${given} is a link. A patch can only delete and move files. Use a command instead.`,
  )
}

function isChanged({ before, now }: Draft): boolean {
  if (before === undefined || now === null) return (before?.bytes ?? null) !== now
  return !before.bytes.equals(now)
}

function toChange({ target, before, now, origin }: Draft): FileChange {
  const { path: real, shown } = target
  return { path: real, shown, before, after: now === null ? null : [now], like: origin?.before }
}

/** Reports a moved file once, at its new path. */
export async function describeDraft(
  draft: Draft,
  drafts: Drafts,
  { state }: ToolContext,
): Promise<PatchedFile | undefined> {
  const { target, before, now, origin } = draft
  if (now === null && [...drafts.values()].some((other) => other.origin === draft)) return undefined
  const root = state.roots[0] ?? ''
  const from = now === null || origin === draft ? undefined : origin
  const diff = await diffBytes(diffSide((from?.before ?? before)?.bytes), diffSide(now ?? undefined))
  return {
    path: shownPath(target.path, root),
    change: now === null ? 'deleted' : from !== undefined ? 'moved' : before === undefined ? 'created' : 'changed',
    from: from && shownPath(from.target.path, root),
    ...diff,
    ...(from === undefined && now !== null && hardLinks(before)),
  }
}

async function describeDrafts(changed: readonly Draft[], drafts: Drafts, ctx: ToolContext): Promise<PatchedFile[]> {
  const rest = createYielder()
  const files: PatchedFile[] = []
  for (const draft of changed) {
    const file = await describeDraft(draft, drafts, ctx)
    if (file !== undefined) files.push(file)
    if (rest.due()) await rest.yield()
  }
  return files
}

function hardLinkNotes(file: PatchedFile): string[] {
  const note = hardLinkNote(file)
  return note === undefined ? [] : [`${printablePath(file.path)}: ${note}`]
}

/** Carries read tracking over to the new path when a file is moved. */
function recordDraft(
  { target: { path: real }, known, origin }: Draft,
  sha256: string | null,
  earlier: AgentState['reads'],
  { state }: ToolContext,
): void {
  state.reads.delete(real)
  if (sha256 === null) return
  const stamped = earlier.get(origin?.target.path ?? real)
  if (stamped !== undefined) state.reads.set(real, stamped)
  recordWrite(state, real, sha256, statSync(real, { bigint: true }), known)
}

function diffSide(bytes: Buffer | undefined): DiffSide | undefined {
  if (bytes === undefined) return undefined
  const isText = fileKind(bytes.subarray(0, headLength)).kind === 'text'
  return { bytes: isText ? bytes : Buffer.alloc(0), format: isText ? detectFormat(bytes) : utf8Format }
}
