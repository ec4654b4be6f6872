/** The newest items, for the admin page. */
export interface Recent<T> {
  add(item: T): void
  /** Newest first. */
  list(): T[]
}

export function createRecent<T>(most = 100): Recent<T> {
  const items: T[] = []
  return {
    add(item) {
      items.push(item)
      if (items.length > most) items.shift()
    },
    list: () => items.toReversed(),
  }
}
