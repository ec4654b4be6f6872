/** Bytes `start` to `end`, both included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The range that a `Range` header asks for. Undefined means the whole file: without a header, and for what a server may
 * ignore, such as several ranges. Null means that the file has no such bytes.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | null | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  const [, first = '', last = ''] = match
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last))
  return start >= size || end < start ? null : { start, end }
}

/** Headers of an answer with a range, or with the whole file. */
export function rangeHeaders(range: ByteRange | undefined, size: number): Record<string, string> {
  const length = range === undefined ? size : range.end - range.start + 1
  return {
    'accept-ranges': 'bytes',
    'content-length': String(length),
    ...(range !== undefined && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
  }
}
