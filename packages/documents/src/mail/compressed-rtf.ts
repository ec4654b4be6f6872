const initial =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'

const maxBytes = 50 * 2 ** 20

/** Outlook compresses RTF with references to the last 4,096 bytes, which start with common words. */
export function unpackRtf(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 16) return undefined
  const size = Math.min(bytes.readUInt32LE(4), maxBytes)
  const kind = bytes.toString('latin1', 8, 12)
  if (kind === 'MELA') return bytes.subarray(16, 16 + size)
  if (kind !== 'LZFu') return undefined
  const window = Buffer.alloc(4096, 0x20)
  window.write(initial, 'latin1')
  let to = initial.length
  const result = Buffer.alloc(size)
  let written = 0
  const put = (code: number): void => {
    if (written < size) result[written++] = code
    window[to] = code
    to = (to + 1) % 4096
  }
  let at = 16
  while (at < bytes.length && written < size) {
    const control = bytes[at++]!
    for (let bit = 0; bit < 8 && at < bytes.length && written < size; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(bytes[at++]!)
        continue
      }
      if (at + 2 > bytes.length) return result.subarray(0, written)
      const reference = bytes.readUInt16BE(at)
      at += 2
      const from = reference >> 4
      // A reference to the end of the window is the end of the text.
      if (from === to) return result.subarray(0, written)
      for (let index = 0; index < (reference & 15) + 2; index++) put(window[(from + index) % 4096]!)
    }
  }
  return result.subarray(0, written)
}
