import type { MatchesDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { resolvePath } from '../files/resolve-path.ts'
import { formatCount } from '../text/format.ts'
import type { CodeAnswer, CodeQuestion } from '../tool/services.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Asks the language server about code, which is more exact than a text search. "definition", "references" and "hover" need "path" and "symbol" (a name in that file; "line" chooses between several uses). "symbols" lists the symbols of "path", or finds "symbol" in the whole project. "diagnostics" lists the errors and warnings in "path".`,
  input: z.object({
    action: z.enum(['definition', 'references', 'hover', 'symbols', 'diagnostics']),
    path: z.string().optional().describe('Absolute, or relative to the working directory'),
    symbol: z.string().min(1).max(200).optional(),
    line: z.int().min(1).optional().describe('1-based'),
    column: z.int().min(1).optional().describe('1-based. Default: where "symbol" is on the line'),
  }),
  readOnly: true,
  deferred: true,
  group: 'file-read',
  timeout: 60_000,
  touches: ({ path = '.' }) => [{ kind: 'read', path }],
  title: titleOf,
  permission: ({ action, symbol, path }) => ({
    title: 'Ask the language server',
    summary: [action, symbol, path].filter((one) => one !== undefined).join(' '),
  }),
  async execute(input, ctx): Promise<CodeAnswer> {
    if (ctx.code === undefined)
      throw new Error('Language servers run only in folders that the user trusts. Use Grep instead.')
    const file = input.path === undefined ? undefined : resolvePath(ctx, input.path, { for: 'read' })
    if (file !== undefined && file.stats?.isFile() !== true)
      throw new Error(`"${input.path}" is not a file. Give the path of a source file.`)
    return ctx.code.ask({ ...input, path: file?.path }, { signal: ctx.signal, hides: ctx.granted?.hides })
  },
  toModel: ({ text }) => text,
  display({ places, total, text }, input) {
    const title = titleOf(input)
    if (places.length === 0) return { title, summary: total === 0 ? text.slice(0, 100) : formatCount(total, 'problem') }
    const files = [...Map.groupBy(places, (place) => place.path)].map(([file, lines]) => ({
      path: file,
      lines: lines.map(({ line, text: shown }) => ({ number: line, text: shown, match: true })),
    }))
    const content: MatchesDisplay = { kind: 'matches', pattern: input.symbol ?? '', files, more: total > places.length }
    return { title, summary: formatCount(total, 'place'), content }
  },
})

interface Question {
  action: CodeQuestion['action']
  path?: string | undefined
  symbol?: string | undefined
}

function titleOf({ action, path = '', symbol = path }: Question): string {
  if (action === 'definition') return `Find the definition of ${symbol}`
  if (action === 'references') return `Find uses of ${symbol}`
  if (action === 'hover') return `Look up ${symbol}`
  if (action === 'diagnostics') return `Check ${path}`
  return path === '' ? `Find the symbol ${symbol}` : `List the symbols in ${path}`
}
