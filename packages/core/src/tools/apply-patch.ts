import path from 'node:path'
import type { Display } from '@troupe/protocol'
import { z } from 'zod'
import { withHunks } from '../text/diff.ts'
import { type PatchedFile, patchFiles, previewPatch } from '../files/patch-files.ts'
import { reducePatch } from '../files/reduce-patch.ts'
import { previewNote } from '../page/artifacts.ts'
import { printablePath } from '../text/format.ts'
import { parsePatch, type PatchStep } from '../text/parse-patch.ts'
import { defineTool, withModelText } from '../tool/tool.ts'

export default defineTool({
  description: `Changes several files in one patch. Either all changes apply or none:
*** Begin Patch
*** Add File: path/new.txt
+every line of the new file
*** Update File: path/old.py
*** Move to: path/renamed.py
@@ def function_around_the_change():
 an unchanged line
-a removed line
+an added line
*** Delete File: path/gone.txt
*** End Patch
"Move to" is optional. Include about three unchanged lines around each change. If those lines occur more than once, add "@@" with a line above them. A file can have several hunks, in file order. "*** End of File" after a hunk anchors it to the end of the file.`,
  input: z.object({ patch: z.string().describe('The patch, from "*** Begin Patch" to "*** End Patch"') }),
  readOnly: false,
  deferred: true,
  group: 'file-write',
  touches: ({ patch }) => parseSteps(patch).flatMap(touchedPaths),
  title: ({ patch }) => `Patch ${pathList(patch)}`,
  permission: ({ patch }) => ({ title: 'Change files', summary: pathList(patch), content: permissionContent(patch) }),
  async preview({ patch }, ctx): Promise<Display | undefined> {
    const files = await previewPatch(ctx, parsePatch(patch))
    if (files.length === 0 || files.some(({ cut }) => cut === true)) return undefined
    return { kind: 'patch', files: files.map((file) => withHunks({ kind: 'diff', ...file })) }
  },
  async reduce({ patch }, accepted, ctx) {
    const { input, ...counts } = await reducePatch(ctx, patch, accepted)
    return { input: { patch: input }, ...counts }
  },
  async execute({ patch }, ctx) {
    const { files, notes } = await patchFiles(ctx, parsePatch(patch))
    const lines = await Promise.all(
      files.map(async (file) => {
        const note = await previewNote(path.resolve(ctx.state.roots[0] ?? '', file.path), ctx)
        return note === undefined ? fileLine(file) : `${fileLine(file)} ${note}`
      }),
    )
    const head = files.length === 0 ? 'The files already match the patch. Nothing was changed.' : 'Done:'
    return withModelText({ files, notes }, [head, ...lines, ...notes].join('\n'))
  },
  display: ({ files }) => ({
    title: files.length === 1 ? `Patch ${files[0]!.path}` : `Patch ${files.length} files`,
    summary: `+${sum(files, 'added')} -${sum(files, 'removed')}`,
    content: { kind: 'patch', files: files.map((file) => ({ kind: 'diff', ...file })) } satisfies Display,
  }),
})

function fileLine({ change, path, from, added, removed }: PatchedFile): string {
  const letter = { created: 'A', changed: 'M', deleted: 'D', moved: 'R' }[change]
  return `${letter} ${from === undefined ? '' : `${printablePath(from)} -> `}${printablePath(path)} (+${added} -${removed})`
}

function sum(files: readonly PatchedFile[], key: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[key], 0)
}

function parseSteps(patch: string): PatchStep[] {
  try {
    return parsePatch(patch)
  } catch {
    return []
  }
}

function touchedPaths(step: PatchStep): { kind: 'write'; path: string }[] {
  const places = [step.path, ...(step.type === 'update' && step.moveTo !== undefined ? [step.moveTo] : [])]
  return places.map((path) => ({ kind: 'write', path }))
}

function pathList(patch: string): string {
  const names = parseSteps(patch).map((step) => printablePath(step.path))
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}

function permissionContent(patch: string): Display {
  const files = parseSteps(patch).map((step): Extract<Display, { kind: 'diff' }> => {
    if (step.type === 'delete')
      return { kind: 'diff', path: step.path, change: 'deleted', diff: '', added: 0, removed: 0 }
    if (step.type === 'add') {
      const diff = step.lines.map((line) => `+${line}`).join('\n')
      return { kind: 'diff', path: step.path, change: 'created', diff, added: step.lines.length, removed: 0 }
    }
    const lines = step.hunks.flatMap((hunk) => hunk.lines)
    const diff = step.hunks
      .flatMap(({ contexts, lines: own }) => [
        `@@ ${contexts.join(' ')}`.trimEnd(),
        ...own.map(({ type, text }) => marks[type] + text),
      ])
      .join('\n')
    return {
      kind: 'diff',
      path: step.moveTo ?? step.path,
      change: step.moveTo === undefined ? 'changed' : 'moved',
      from: step.moveTo === undefined ? undefined : step.path,
      diff,
      added: lines.filter(({ type }) => type === 'add').length,
      removed: lines.filter(({ type }) => type === 'remove').length,
    }
  })
  return { kind: 'patch', files }
}

const marks = { keep: ' ', add: '+', remove: '-' }
