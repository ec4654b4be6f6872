/** Why an answer is not accepted. `path` is `''` for the whole. */
export interface OutputProblem {
  readonly path: string
  /** A sentence that a model can act on. */
  readonly message: string
  /** False when trying again is of no use. */
  readonly retry: boolean
}

const maxProblems = 10
const maxProblemLength = 300

/** The reasons as a list for the prompt of the next attempt, bounded in number and length. */
export function retryText(problems: readonly OutputProblem[]): string {
  const lines = problems.slice(0, maxProblems).map(({ path, message }) => {
    const text = path === '' ? message : `${path}: ${message}`
    return `- ${text.length > maxProblemLength ? `${text.slice(0, maxProblemLength)}…` : text}`
  })
  const more = problems.length - maxProblems
  return [...lines, ...(more > 0 ? [`- and ${more} more of this kind`] : [])].join('\n')
}
