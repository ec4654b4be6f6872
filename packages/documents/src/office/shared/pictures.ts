import { readFileSync, statSync } from 'node:fs'

export interface Picture {
  bytes: Buffer
  extension: 'png' | 'jpeg' | 'gif'
  width: number
  height: number
}

const maxPictureBytes = 32 * 2 ** 20
/** English Metric Units, the unit of office drawings. */
export const emuPerCm = 360_000
const emuPerPixel = 9525

/** Reads a picture that an action names. Throws unless it is a PNG, JPEG or GIF. */
export function readPicture(pictures: Readonly<Record<string, string>>, name: string): Picture {
  const real = pictures[name]
  if (real === undefined)
    throw new Error(`The picture ${JSON.stringify(name)} was not found. Use a path in the workspace.`)
  if (statSync(real).size > maxPictureBytes)
    throw new Error(`The picture ${JSON.stringify(name)} is larger than 32 MB.`)
  const bytes = readFileSync(real)
  const size = sizeOf(bytes)
  if (size === undefined || size.width === 0 || size.height === 0)
    throw new Error(`${JSON.stringify(name)} is not a PNG, JPEG or GIF picture. Convert it first.`)
  return { bytes, ...size }
}

/** Size in EMU, as large as the pixels but within a box. */
export function fitPicture(
  { width, height }: Picture,
  box: { width: number; height: number },
): { width: number; height: number } {
  const [w, h] = [width * emuPerPixel, height * emuPerPixel]
  const scale = Math.min(1, box.width / w, box.height / h)
  return { width: Math.round(w * scale), height: Math.round(h * scale) }
}

function sizeOf(bytes: Buffer): Pick<Picture, 'extension' | 'width' | 'height'> | undefined {
  if (bytes.length > 24 && bytes.toString('latin1', 1, 4) === 'PNG')
    return { extension: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (bytes.length > 10 && bytes.toString('latin1', 0, 3) === 'GIF')
    return { extension: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { extension: 'jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
  }
  return undefined
}
