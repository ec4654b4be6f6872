import type { Buffer } from 'node:buffer'

/** Width and height in pixels, from the header of a PNG, GIF, JPEG or WebP. */
export function imageSize(bytes: Buffer, mediaType: string): { width: number; height: number } | undefined {
  try {
    if (mediaType === 'image/png') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    if (mediaType === 'image/gif') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
    if (mediaType === 'image/jpeg') return jpegSize(bytes)
    if (mediaType === 'image/webp') return webpSize(bytes)
  } catch {
    // A header that ends too early has no size.
  }
  return undefined
}

/** Walks the segments to the frame header, whichever of its kinds it is. */
function jpegSize(bytes: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at] !== 0xff) return undefined
    const kind = bytes[at + 1] ?? 0
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return undefined
}

function webpSize(bytes: Buffer): { width: number; height: number } | undefined {
  const kind = bytes.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const bits = bytes.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}
