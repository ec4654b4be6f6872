/** Everything that was pushed, for any number of readers: each gets all of it from the beginning, then what comes. */
export class ReplayBuffer<Item> {
  #items: Item[] = []
  #ended = false
  #error: unknown
  #waiting: (() => void)[] = []

  push(item: Item): void {
    if (this.#ended) return
    this.#items.push(item)
    this.#wake()
  }

  /** With an error: readers get all that came before, and then it is thrown. */
  end(error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#wake()
  }

  async *read(): AsyncGenerator<Item, void, void> {
    for (let next = 0; ;) {
      while (next < this.#items.length) yield this.#items[next++] as Item
      if (this.#ended) break
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
    }
    if (this.#error !== undefined) throw this.#error as Error
  }

  #wake(): void {
    if (this.#waiting.length === 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
