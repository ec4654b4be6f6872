/** Why an answer is not accepted. `path` is `''` for the whole. */
export interface OutputProblem {
  readonly path: string
  /** A sentence that a model can act on. */
  readonly message: string
  /** False when trying again is of no use. */
  readonly retry: boolean
}
