import type { ListDisplay, MatchesDisplay } from '../protocol/display.ts'
import type { GrepOutput } from './show-matches.ts'

const cardLines = 200

/** What is kept of a page with the call: not more than a person looks at. The model's text is kept beside it. */
export function truncateForCard(output: GrepOutput): GrepOutput {
  if (output.mode === 'count') return { ...output, counts: output.counts.slice(0, cardLines) }
  if (output.mode === 'files_with_matches') return { ...output, files: output.files.slice(0, cardLines) }
  let left = cardLines
  const files = output.files.flatMap((file) => {
    const lines = file.lines.slice(0, left)
    left -= lines.length
    return lines.length === 0 ? [] : [{ path: file.path, lines }]
  })
  return { ...output, files, more: output.more || files.length < output.files.length || left === 0 }
}

/** Lines by file, names as a list. */
export function matchesDisplay(output: GrepOutput, pattern: string): MatchesDisplay | ListDisplay {
  if (output.mode === 'content') return { kind: 'matches', pattern, files: output.files, more: output.more }
  const names = output.mode === 'count' ? output.counts.map((one) => `${one.path}: ${one.lines}`) : output.files
  const entries = names.map((name) => ({ name, kind: 'file' as const, depth: 0 }))
  return { kind: 'list', path: output.place, entries, left: output.total - entries.length }
}
