import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { secretIn } from '@troupe/command-policy'
import { z } from 'zod'
import { spill } from '../files/temporary-files.ts'
import {
  type GrepOutput,
  grepPage,
  grepText,
  matchesDisplay,
  resolveSearchTarget,
  truncateForCard,
} from '../search/grep-output.ts'
import { searchCounts, searchFiles, searchLines } from '../search/grep.ts'
import type { SearchQuery } from '../search/search-query.ts'
import { formatCount, printablePath } from '../text/format.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

const defaultLimit = 100
const maxLimit = 10_000
const maxText = 30_000

const lines = (what: string) => z.int().min(0).max(1000).describe(`Lines ${what} each match`).optional()

/** Hidden fields are accepted, but the model only needs to know the others. */
const input = z.object({
  pattern: z.string().max(10_000).describe('A regular expression in ripgrep syntax'),
  path: z.string().describe('A file or folder. Default: the working directory').optional(),
  glob: z.string().max(2000).describe('Only files that match: "src/**/*.{ts,tsx}". "!*.test.ts" excludes').optional(),
  type: z.string().max(50).meta({ hidden: true }).optional(),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).default('files_with_matches'),
  '-A': lines('after'),
  '-B': lines('before'),
  '-C': lines('before and after'),
  '-i': z.boolean().describe('Ignore case').optional(),
  '-n': z.boolean().meta({ hidden: true }).optional(),
  multiline: z.boolean().describe('Let matches span lines').optional(),
  head_limit: z
    .int()
    .min(0)
    .max(maxLimit)
    .describe(`How many results to show. Default ${defaultLimit}, 0 means ${maxLimit}`)
    .optional(),
  offset: z.int().min(0).max(1_000_000).describe('How many results to skip').optional(),
})

export default defineTool({
  description: `Searches file contents with ripgrep.
output_mode: "files_with_matches" (default) lists the files, newest first; "content" shows matching lines, plus context with -A, -B or -C; "count" counts matches per file. Hidden files are searched. Ignored files, binary files and secrets are not, unless "path" names them. Escape literal braces and parentheses ("interface\\{\\}").`,
  input,
  readOnly: true,
  group: 'file-read',
  touches: ({ path: given = '.' }) => [{ kind: 'read', path: given }],
  timeout: 60_000,
  title: ({ pattern }) => `Search for ${pattern}`,
  permission: ({ pattern, path: given }) => ({
    title: 'Search in files',
    summary: given === undefined ? pattern : `${pattern} in ${given}`,
  }),
  async execute(given, ctx): Promise<GrepOutput> {
    if (given.pattern.includes('\0'))
      throw new Error('The pattern contains a NUL character. Use \\x00 to search for one.')
    const output = await search(given, ctx)
    const text = grepText(output, given)
    if (text.length <= maxText) return withModelText(truncateForCard(output), text)
    return withModelText(truncateForCard(output), (await spill(ctx, text, 'grep')).preview)
  },
  display: (output, { pattern }) => ({
    title: `Search for ${pattern}`,
    summary: output.mode === 'content' ? summaryOfLines(output) : formatCount(output.total, 'file'),
    content: matchesDisplay(output, pattern),
  }),
})

async function search(given: z.infer<typeof input>, ctx: ToolContext): Promise<GrepOutput> {
  const { folder, target, shown } = resolveSearchTarget(ctx, given.path)
  const isFolder = target === './'
  const isHidden = ctx.granted?.hides ?? ((file) => isFolder && secretIn(path.relative(folder, file)) !== undefined)
  const hides = (file: string): boolean => isHidden(path.join(folder, file))
  const query: SearchQuery = {
    pattern: given.pattern,
    folder,
    target,
    glob: given.glob,
    type: given.type,
    ignoreCase: given['-i'],
    multiline: given.multiline,
    hides,
  }
  const offset = given.offset ?? 0
  const limit = given.head_limit === 0 ? maxLimit : (given.head_limit ?? defaultLimit)
  const page = { folder, shown, offset, limit, cwd: ctx.state.cwd }
  const output = await found()
  if (isFolder) output.notes.push(...(await hiddenNote(folder, hides)))
  return output

  async function found(): Promise<GrepOutput> {
    if (given.output_mode === 'files_with_matches') return grepPage.files(await searchFiles(query, ctx.signal), page)
    if (given.output_mode === 'count') return grepPage.counts(await searchCounts(query, ctx.signal), page)
    const context = { before: given['-B'] ?? given['-C'], after: given['-A'] ?? given['-C'], limit: offset + limit }
    return grepPage.lines(await searchLines(query, context, ctx.signal), page)
  }
}

/** Names excluded files in the folder. Does not tell if they match, which would reveal their content. */
async function hiddenNote(folder: string, hides: (file: string) => boolean): Promise<string[]> {
  // The search reports an unreadable folder.
  const names = (await readdir(folder).catch((): string[] => [])).filter(hides).slice(0, 10)
  if (names.length === 0) return []
  return [
    `Not searched, because of secrets or a rule: ${names.map(printablePath).join(', ')}. To search one, give it as "path".`,
  ]
}

function summaryOfLines(output: GrepOutput & { mode: 'content' }): string {
  const shown = output.files.reduce((sum, file) => sum + file.lines.length, 0)
  return `${formatCount(shown, 'line')} in ${formatCount(output.files.length, 'file')}${output.more ? ', and more' : ''}`
}
