import path from 'node:path'
import type { ListDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { isInside, resolvePath, shownPath } from '../files/resolve-path.ts'
import { splitGlob } from '../search/glob-pattern.ts'
import { listFiles } from '../search/search-query.ts'
import { formatCount, formatNumber, printablePath, printablePlace } from '../text/format.ts'
import { defineTool, type ToolContext } from '../tool/tool.ts'

const shownFiles = 100

export interface GlobOutput {
  /** Newest first. Relative to the working directory if below it. */
  files: string[]
  total: number
  folder: string
  notes: string[]
}

export default defineTool({
  description: `Finds files by name, most recently changed first, up to 100.
"*.ts" matches a name at any depth, "src/**/*.ts" a path from the folder; "{a,b}", "?" and "[a-z]" also work. Includes hidden files. Includes ignored files only if "path" points inside an ignored folder. To search file contents, use Grep.`,
  input: z.object({
    pattern: z.string().min(1).max(2000).describe('A glob such as "**/*.ts"'),
    path: z.string().describe('The folder to search. Default: the working directory').optional(),
  }),
  readOnly: true,
  group: 'file-read',
  touches({ pattern, path: given = '.' }) {
    const { folder } = splitGlob(pattern)
    const isWhole = folder.startsWith('/') || folder === '~' || folder.startsWith('~/')
    const deeper = folder === '' ? [] : [isWhole ? folder : path.join(given, folder)]
    return [given, ...deeper].map((one) => ({ kind: 'read', path: one }))
  },
  timeout: 60_000,
  title: ({ pattern }) => `Find ${pattern}`,
  permission: ({ pattern, path: given }) => ({
    title: 'Find files',
    summary: given === undefined ? pattern : `${pattern} in ${given}`,
  }),
  async execute({ pattern, path: given }, ctx): Promise<GlobOutput> {
    const { folder, shown, glob, missing } = resolveGlob(ctx, pattern, given)
    if (missing) return { files: [], total: 0, folder: shown, notes: [`The folder "${shown}" does not exist.`] }
    const { files, total, unread } = await listFiles(folder, glob, shownFiles, ctx.signal)
    const notes = unread.slice(0, 3).map((line) => `Not searched: ${line}`)
    if (total === 0) notes.push(...emptyNotes(ctx, pattern, given))
    return {
      files: files.map((file) => shownPath(path.join(folder, file), ctx.state.cwd)),
      total,
      folder: shown,
      notes,
    }
  },
  toModel({ files, total, folder, notes }, { pattern }) {
    if (total === 0) return [`No files match "${pattern}" in ${printablePlace(folder)}.`, ...notes].join('\n')
    const left = total - files.length
    const more = `(Showing the newest ${files.length} of ${formatNumber(total)} files. Narrow the pattern or the path to see others.)`
    return [...files.map(printablePath), ...(left > 0 ? [more] : []), ...notes].join('\n')
  },
  display({ files, total, folder }, { pattern }) {
    const content: ListDisplay = {
      kind: 'list',
      path: folder,
      entries: files.map((file) => ({ name: file, kind: 'file', depth: 0 })),
      left: total - files.length,
    }
    return { title: `Find ${pattern}`, summary: formatCount(total, 'file'), content }
  },
})

/** The fixed start of the pattern becomes part of the folder. This reduces the search, and allows absolute patterns. */
function resolveGlob(ctx: ToolContext, pattern: string, given: string | undefined) {
  const base = resolvePath(ctx, given ?? '.', { for: 'read' })
  if (base.stats === undefined)
    throw new Error(`"${given}" does not exist. Omit "path" to search the working directory.`)
  if (!base.stats.isDirectory())
    throw new Error(`"${given}" is a file. Give a folder, or use Read or Grep on the file.`)
  const { folder, glob } = splitGlob(pattern)
  if (folder === '') return { folder: base.path, shown: base.shown, glob, missing: false }
  const spelled = folder === '~' || folder.startsWith('~/') ? folder : path.resolve(base.path, folder)
  const { path: real, shown, stats } = resolvePath(ctx, spelled, { for: 'read' })
  return { folder: real, shown, glob, missing: stats?.isDirectory() !== true }
}

function emptyNotes(ctx: ToolContext, pattern: string, given: string | undefined): string[] {
  const ignored = 'Files ignored by .gitignore are not listed. To search them, give their folder as "path".'
  if (/[*?[{]/.test(pattern)) return [ignored]
  const named = resolvePath(ctx, path.join(given ?? '.', pattern), { for: 'read' })
  if (named.stats?.isDirectory() !== true || !isInside(named.path, ctx.state.cwd)) return [ignored]
  return [`"${pattern}" is a folder. To list its files, use "${pattern.replace(/\/+$/, '')}/**".`]
}
