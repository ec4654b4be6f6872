/** So many at a time; the rest wait in the order in which they came. */
export interface Slots {
  /** Takes a place in the line at once. */
  take(): Slot
}

export interface Slot {
  /** Resolves when it is this one's turn. */
  ready: Promise<void>
  /** Gives the place back, whether it was its turn or not. */
  free(): void
}

export function createSlots(count: number): Slots {
  const line: { begin: () => void }[] = []
  let used = 0

  return {
    take() {
      const { promise, resolve } = Promise.withResolvers<void>()
      let state: 'waiting' | 'holding' | 'freed' = 'waiting'
      const place = {
        begin() {
          state = 'holding'
          used++
          resolve()
        },
      }
      line.push(place)
      advance()
      return {
        ready: promise,
        free() {
          if (state === 'holding') used--
          else if (state === 'waiting') line.splice(line.indexOf(place), 1)
          state = 'freed'
          advance()
        },
      }
    },
  }

  function advance(): void {
    while (used < count && line.length > 0) line.shift()?.begin()
  }
}
