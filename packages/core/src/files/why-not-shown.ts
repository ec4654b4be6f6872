/** What the strictest of the usual providers take: an image of 5 MB as base64, and a request of 20 MB. */
const maxImageBytes = 3_750_000
const maxImageSide = 8000
export const maxRequestBytes = 14 * 2 ** 20

export interface MediaFacts {
  kind: 'image' | 'pdf'
  size: number
  /** In pixels, where the header of an image tells. */
  width?: number
  height?: number
}

/** Why no model is shown a file, and what to do about it: with such a one the whole request would be refused. */
export function mediaProblem({ kind, size, width = 0, height = 0 }: MediaFacts): string | undefined {
  if (kind === 'pdf') {
    if (size <= maxRequestBytes) return undefined
    return `It is too big for a model to look at: at most ${maxRequestBytes / 2 ** 20} MB. Take out the pages that matter, or the text, with a command.`
  }
  if (width === 0 || height === 0) return 'No model is shown it: its header is broken.'
  if (size <= maxImageBytes && width <= maxImageSide && height <= maxImageSide) return undefined
  return `It is too big for a model to look at: at most ${maxImageBytes / 1e6} MB and ${maxImageSide} x ${maxImageSide} pixels. Make a smaller copy with a command and read that.`
}
