import { yieldToEventLoop } from '../../util/concurrency.ts'

/** A top-level value of a file, or a member of its top-level list. `index` starts at 1. */
export type JsonEntry = { index: number; bytes: Buffer } | { index: number; problem: string }

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/**
 * Streams the entries of a JSON file, holding only one at a time: list members, one object, or consecutive objects.
 * Skips and reports entries longer than `longest` bytes or with more values than `most`, which would take many times
 * their text size in memory. Throws if the file is not JSON.
 */
export async function* readEntries(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
  most = 10_000_000,
): AsyncGenerator<JsonEntry> {
  let pieces: Uint8Array[] = []
  let size = 0
  let values = 0
  let index = 0
  let depth = 0
  /** Depth of entries: 1 in a list, else 0. */
  let base: 0 | 1 | undefined
  let inside = false
  let inText = false
  let escaped = false
  let ended = false

  for await (const chunk of chunks) {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (inText) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quote) inText = false
        continue
      }
      if (!inside) {
        if (byte <= 0x20 || byte === comma || (base === undefined && isByteOrderMark(byte))) continue
        if (base === undefined) {
          if (byte !== openList && byte !== openObject) throw notJson()
          base = byte === openList ? 1 : 0
          if (base === 1) {
            depth = 1
            continue
          }
        }
        if (byte === closeList && depth === base) {
          ended = true
          depth = 0
          base = 0
          continue
        }
        inside = true
        start = at
      }
      if (byte === comma || byte === openList || byte === openObject) values++
      if (byte === quote) inText = true
      else if (byte === openList || byte === openObject) depth++
      else if (byte === closeList || byte === closeObject) {
        // The end of the list also ends a number or word in it.
        if (depth === base) {
          yield await entry(chunk.subarray(start, at))
          ended = true
          depth = 0
          base = 0
          continue
        }
        if (--depth === base) {
          yield await entry(chunk.subarray(start, at + 1))
          start = at + 1
        }
      } else if (byte === comma && depth === base) {
        yield await entry(chunk.subarray(start, at))
      }
    }
    if (inside) keep(chunk.subarray(start))
  }
  if (base === undefined) throw notJson()
  if (inside || (base === 1 && !ended)) yield { index: index + 1, problem: 'the file ends in the middle of it' }

  function keep(piece: Uint8Array): void {
    size += piece.length
    if (size <= longest && values <= most) pieces.push(Uint8Array.from(piece))
    else pieces = []
  }

  async function entry(last: Uint8Array): Promise<JsonEntry> {
    keep(last)
    const problem =
      size > longest
        ? `it is larger than ${Math.floor(longest / 1024 / 1024)} MiB`
        : values > most
          ? `it has more than ${most} values`
          : undefined
    const bytes = problem === undefined ? await joined(pieces, size) : undefined
    pieces = []
    size = 0
    values = 0
    inside = false
    index++
    return bytes === undefined ? { index, problem: problem! } : { index, bytes }
  }
}

/** Copies piece by piece, since joining many at once would take long. */
async function joined(pieces: Uint8Array[], size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
    await yieldToEventLoop()
  }
  return bytes
}

function isByteOrderMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf
}

function notJson(): Error {
  return new Error('it is neither JSON nor a zip')
}
