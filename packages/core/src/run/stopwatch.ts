/**
 * Counts the time in which a run works: it stands still while only a person can move the run on. A class, since every
 * live run holds one and methods on a prototype weigh nothing.
 */
export class Stopwatch {
  #counted: number
  #begun: number | undefined = performance.now()

  /** `before`: what earlier processes had counted. */
  constructor(before = 0) {
    this.#counted = before
  }

  elapsedMs(): number {
    return Math.round(this.#counted + (this.#begun === undefined ? 0 : performance.now() - this.#begun))
  }

  pause(): void {
    if (this.#begun === undefined) return
    this.#counted += performance.now() - this.#begun
    this.#begun = undefined
  }

  resume(): void {
    this.#begun ??= performance.now()
  }
}
