/** Why an answer is not accepted. `path` is `''` for the whole. */
export interface OutputProblem {
  readonly path: string
  /** A sentence that a model can act on. */
  readonly message: string
  /** False when trying again is of no use. */
  readonly retry: boolean
}

const shownProblems = 10
const shownLength = 300

/** The reasons as a list for the prompt of the next attempt, bounded in number and length. */
export function retryText(problems: readonly OutputProblem[]): string {
  const lines = problems.slice(0, shownProblems).map(({ path, message }) => {
    const text = path === '' ? message : `${path}: ${message}`
    return `- ${text.length > shownLength ? `${text.slice(0, shownLength)}…` : text}`
  })
  const more = problems.length - shownProblems
  return [...lines, ...(more > 0 ? [`- and ${more} more of this kind`] : [])].join('\n')
}
