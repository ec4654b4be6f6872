import type { Problem } from './language-server.ts'

export interface FileProblems {
  /** Path as the model knows it. */
  file: string
  problems: readonly Problem[]
  /** The problems before the change are known, so these are new. */
  isCompared: boolean
}

const maxShown = 20

/** The problems that were not there before. Positions move with edits, so they are not compared. */
export function newProblems(before: readonly Problem[] | undefined, now: readonly Problem[]): Problem[] {
  if (before === undefined) return [...now]
  const known = new Map<string, number>()
  for (const problem of before) known.set(keyOf(problem), (known.get(keyOf(problem)) ?? 0) + 1)
  return now.filter((problem) => {
    const left = known.get(keyOf(problem)) ?? 0
    known.set(keyOf(problem), left - 1)
    return left <= 0
  })
}

function keyOf({ severity, code, message }: Problem): string {
  return JSON.stringify([severity, code, message])
}

/** Errors first, at most twenty. Undefined if there is none. */
export function problemsText(files: readonly FileProblems[]): string | undefined {
  const all = files.flatMap(({ file, problems }) => problems.map((problem) => ({ file, problem })))
  if (all.length === 0) return undefined
  const sorted = all.toSorted((one, other) => rank(one.problem) - rank(other.problem))
  const lines = sorted.slice(0, maxShown).map(({ file, problem }) => problemLine(file, problem))
  const left = all.length - lines.length
  const head = files.every(({ isCompared }) => isCompared)
    ? 'New problems found by the language server:'
    : 'Problems found by the language server:'
  return [head, ...lines, ...(left > 0 ? [`(${left} more)`] : [])].join('\n')
}

export function problemLine(file: string, { line, column, severity, message, code, source }: Problem): string {
  const origin = [source, code].filter((one) => one !== undefined).join(' ')
  return `${file}:${line}:${column} ${severity}: ${message.replaceAll('\n', ' ')}${origin === '' ? '' : ` (${origin})`}`
}

function rank({ severity }: Problem): number {
  return severity === 'error' ? 0 : 1
}
