/** A page in the background draws nothing. */
const longestWait = 300

/** Does it once the frame that is in the making has been shown. Returns how to call it off. */
export function afterPaint(work: () => void): () => void {
  let timer = setTimeout(work, longestWait)
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer)
    timer = setTimeout(work)
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}
