/** Pixels that `sharp` takes, with one byte per channel. */
export interface Pixels {
  data: Buffer
  width: number
  height: number
  channels: 3
}

const mostPixels = 64 * 2 ** 20
const modes: Readonly<Record<number, { mode: 'gray' | 'indexed' | 'rgb' | 'cmyk'; planes: number }>> = {
  1: { mode: 'gray', planes: 1 },
  2: { mode: 'indexed', planes: 1 },
  3: { mode: 'rgb', planes: 3 },
  4: { mode: 'cmyk', planes: 4 },
}

/** The picture of all layers that Photoshop stores for other programs. Layers are not read. */
export function decodePsd(bytes: Buffer): Pixels {
  const { width, height } = psdSize(bytes)
  const [version, channels, depth] = [bytes.readUInt16BE(4), bytes.readUInt16BE(12), bytes.readUInt16BE(22)]
  const found = modes[bytes.readUInt16BE(24)]
  if (version !== 1 || found === undefined || (depth !== 8 && depth !== 16) || channels < found.planes)
    throw new Error('This kind of Photoshop file is not supported.')
  if (width * height === 0 || width * height > mostPixels) throw new Error('The picture is too large.')
  // Three sections of any length come before the picture: colors, resources, layers.
  const palette = bytes.subarray(30, 30 + bytes.readUInt32BE(26))
  let at = 26
  for (let section = 0; section < 3; section++) at += 4 + bytes.readUInt32BE(at)
  const rowBytes = (width * depth) / 8
  const compression = bytes.readUInt16BE(at)
  const body = bytes.subarray(at + 2)
  const data =
    compression === 0
      ? body.subarray(0, rowBytes * height * found.planes)
      : compression === 1
        ? unpackRows(body, rowBytes, height * found.planes, channels * height * 2)
        : undefined
  if (data === undefined || data.length < rowBytes * height * found.planes)
    throw new Error('The picture is incomplete.')
  const step = depth / 8
  const plane = (index: number, pixel: number): number => data[index * rowBytes * height + pixel * step]!
  const pixels = Buffer.alloc(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 3; channel++) {
      const value = plane(found.planes === 1 ? 0 : channel, pixel)
      pixels[pixel * 3 + channel] =
        found.mode === 'indexed'
          ? (palette[channel * 256 + value] ?? 0)
          : // Photoshop stores inks inverted: 255 is none.
            found.mode === 'cmyk'
            ? (value * plane(3, pixel)) / 255
            : value
    }
  return { data: pixels, width, height, channels: 3 }
}

export function psdSize(bytes: Buffer): { width: number; height: number } {
  return { width: bytes.readUInt32BE(18), height: bytes.readUInt32BE(14) }
}

/** Rows in PackBits: a count, then a byte to repeat or bytes to copy. A table of their lengths comes first. */
function unpackRows(body: Buffer, rowBytes: number, rows: number, tableBytes: number): Buffer {
  const unpacked = Buffer.alloc(rowBytes * rows)
  let from = tableBytes
  for (let row = 0; row < rows; row++) {
    const next = from + body.readUInt16BE(row * 2)
    let to = row * rowBytes
    const end = to + rowBytes
    while (from < next && to < end) {
      const count = body.readInt8(from++)
      if (count === -128) continue
      const length = Math.min(end - to, count < 0 ? 1 - count : count + 1)
      if (count < 0) unpacked.fill(body[from++]!, to, to + length)
      else {
        body.copy(unpacked, to, from, from + length)
        from += count + 1
      }
      to += length
    }
    from = next
  }
  return unpacked
}
