/** What the strictest of the usual providers take: an image of 5 MB as base64, and a request of 20 MB. */
const imageBytes = 3_750_000
const imageSide = 8000
export const requestBytes = 14 * 2 ** 20

export interface Media {
  kind: 'image' | 'pdf'
  size: number
  /** In pixels, where the header of an image tells. */
  width?: number
  height?: number
}

/** Why no model is shown a file, and what to do about it: with such a one the whole request would be refused. */
export function whyNotShown({ kind, size, width = 0, height = 0 }: Media): string | undefined {
  if (kind === 'pdf') {
    if (size <= requestBytes) return undefined
    return `It is too big for a model to look at: at most ${requestBytes / 2 ** 20} MB. Take out the pages that matter, or the text, with a command.`
  }
  if (width === 0 || height === 0) return 'No model is shown it: its header is broken.'
  if (size <= imageBytes && width <= imageSide && height <= imageSide) return undefined
  return `It is too big for a model to look at: at most ${imageBytes / 1e6} MB and ${imageSide} x ${imageSide} pixels. Make a smaller copy with a command and read that.`
}
