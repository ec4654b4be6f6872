/** One timer looks after all calls of the process: a watched call costs an entry, not a timer. */
const watched = new Map<Watched, number>()
let timer: NodeJS.Timeout | undefined

export interface Watched {
  /** When something last came, by `performance.now()`. */
  lastAt: number
  onStall(): void
}

/** Calls `onStall` once when nothing has come for so long, within a quarter of it. Returns what ends the watch. */
export function watchStalls(call: Watched, stallMs: number): () => void {
  watched.set(call, stallMs)
  schedule()
  return () => {
    watched.delete(call)
    if (watched.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }
}

function schedule(): void {
  timer ??= setTimeout(look, Math.max(10, Math.min(...new Set(watched.values())) / 4))
}

function look(): void {
  timer = undefined
  const now = performance.now()
  for (const [call, stallMs] of watched) {
    if (now - call.lastAt < stallMs) continue
    watched.delete(call)
    call.onStall()
  }
  if (watched.size > 0) schedule()
}
