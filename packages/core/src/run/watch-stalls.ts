/** One timer looks after all calls of the process: a watched call costs an entry, not a timer. */
const watched = new Map<Watched, number>()
let timer: NodeJS.Timeout | undefined
let nextLookAt = Infinity

export interface Watched {
  /** When something last came, by `performance.now()`. */
  lastAt: number
  onStall(): void
}

/** Calls `onStall` once when nothing has come for so long, within a quarter of it. Returns what ends the watch. */
export function watchStalls(call: Watched, stallMs: number): () => void {
  watched.set(call, stallMs)
  lookWithin(stallMs / 4)
  return () => {
    watched.delete(call)
    if (watched.size === 0) stopLooking()
  }
}

/** A call that is less patient than the others does not wait for their turn. */
function lookWithin(ms: number): void {
  const at = performance.now() + Math.max(10, ms)
  if (at >= nextLookAt) return
  stopLooking()
  nextLookAt = at
  timer = setTimeout(look, Math.max(10, ms))
}

function stopLooking(): void {
  clearTimeout(timer)
  timer = undefined
  nextLookAt = Infinity
}

function look(): void {
  stopLooking()
  const now = performance.now()
  for (const [call, stallMs] of watched) {
    if (now - call.lastAt < stallMs) continue
    watched.delete(call)
    call.onStall()
  }
  if (watched.size > 0) lookWithin(Math.min(...new Set(watched.values())) / 4)
}
