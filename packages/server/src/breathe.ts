const sliceMs = 10
/** When the current turn of the event loop was first asked about. */
let start: number | undefined

/**
 * Call it between the steps of work that may be long: once the event loop has been kept for a slice of time, it lets the
 * loop turn, so that others have theirs. `await` alone does not. All work on this thread shares the slice.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (start === undefined) {
    start = performance.now()
    setImmediate(resetSlice)
  } else if (performance.now() - start >= sliceMs) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
}

function resetSlice(): void {
  start = undefined
}
