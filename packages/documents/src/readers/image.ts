import type { DocumentImage } from '@troupe/core'
import type { Metadata, OutputInfo, Sharp } from 'sharp'
import { decodeHeic } from '../media/decode-heic.ts'
import { decodePsd, psdSize } from '../media/decode-psd.ts'
import { exifLines } from '../media/image-facts.ts'
import { defineReader } from '../reader.ts'
import { checkParts, sizeOf } from '../text/parts.ts'

const title = 'an image'
const maxBytes = 100 * 2 ** 20
const longestSide = 1568
/** Larger pictures become JPEG. */
const mostPngBytes = 1_000_000
const mostPixels = 64 * 2 ** 20

export default defineReader({
  title,
  extensions: ['jpg', 'jpeg', 'png', 'webp', 'gif', 'tif', 'tiff', 'heic', 'heif', 'avif', 'bmp', 'ico', 'psd', 'svg'],
  mediaTypes: ['image/jpeg'],
  matches: (head) => typeOf(head) !== undefined,
  async read(source, part) {
    checkParts(part, title, ['images'], 'It has facts only.')
    const bytes = await source.bytes(maxBytes)
    const type = typeOf(bytes.subarray(0, 8192)) ?? 'image/jpeg'
    const { default: sharp } = await import('sharp')
    // Formats that cannot be decoded still have their facts.
    const size: Partial<Metadata> | undefined =
      headerSize(bytes, type) ??
      (await sharp(bytes, { failOn: 'none' })
        .metadata()
        .catch(() => undefined))
    const facts = [names[type] ?? type, sizeOf(source.size)]
    if (size?.width !== undefined && size.height !== undefined)
      facts.splice(1, 0, `${size.width} x ${size.height} pixels`)
    if ((size?.pages ?? 1) > 1) facts.push(`${size?.pages} pages or frames`)
    if (size?.hasAlpha === true) facts.push('transparency')
    const image = part.images === true ? await shownImage(bytes, type) : undefined
    return {
      mediaType: type,
      facts: facts.join(', '),
      text: (await exifLines(bytes)).join('\n'),
      images: image && [image],
      notes: notesOf(type, part.images === true, image !== undefined),
    }
  },
})

/** Pictures that models take are shown to them as they are. */
function notesOf(type: string, isAsked: boolean, isShown: boolean): string[] | undefined {
  if (isShown || /jpeg|png|gif|webp/.test(type)) return undefined
  if (isAsked)
    return [
      'The picture cannot be decoded: it is damaged, or of a kind that is not supported. Convert it to PNG or JPEG with a command.',
    ]
  return ['Read it with "images": true to see the picture.']
}

/** The picture in a format and size that models take. Undefined if it cannot be decoded. */
async function shownImage(bytes: Buffer, type: string): Promise<DocumentImage | undefined> {
  try {
    const picture = await openPicture(bytes, type)
    const small = picture.resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
    // Photos would be several megabytes as PNG.
    const png = type === 'image/heic' ? undefined : await small.clone().png().toBuffer({ resolveWithObject: true })
    if (png !== undefined && png.data.length <= mostPngBytes) return toImage(png.data, 'image/png', png.info)
    const jpeg = small.flatten({ background: 'white' }).jpeg({ quality: 85 })
    const { data, info } = await jpeg.toBuffer({ resolveWithObject: true })
    return toImage(data, 'image/jpeg', info)
  } catch {
    return undefined
  }
}

function toImage(bytes: Buffer, mediaType: string, { width, height }: OutputInfo): DocumentImage {
  return { anchor: 'image', bytes, mediaType, width, height }
}

/** Sharp has no decoder for the pictures of phones, of Windows and of Photoshop. */
async function openPicture(bytes: Buffer, type: string): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  if (type === 'image/heic') {
    const { data, width, height } = await decodeHeic(bytes)
    return sharp(data, { raw: { width, height, channels: 4 } })
  }
  if (type === 'image/vnd.adobe.photoshop') {
    const { data, ...raw } = decodePsd(bytes)
    return sharp(data, { raw })
  }
  if (type !== 'image/bmp' && type !== 'image/x-icon') return sharp(bytes, { failOn: 'none' }).rotate()
  const { width = 0, height = 0 } = headerSize(bytes, type) ?? {}
  if (width * height > mostPixels) throw new Error('The picture is too large.')
  const { createCanvas, loadImage } = await import('@napi-rs/canvas')
  const image = await loadImage(bytes)
  const canvas = createCanvas(image.width, image.height)
  canvas.getContext('2d').drawImage(image, 0, 0)
  return sharp(Buffer.from(canvas.data()), { raw: { width: image.width, height: image.height, channels: 4 } })
}

/** The size of a picture that sharp does not know. */
function headerSize(bytes: Buffer, type: string): { width: number; height: number } | undefined {
  try {
    if (type === 'image/vnd.adobe.photoshop') return psdSize(bytes)
    if (type === 'image/x-icon') return iconSize(bytes)
    if (type !== 'image/bmp') return undefined
    // The first version of the format has 16 bits for each side. A negative height says that rows come from the top.
    if (bytes.readUInt32LE(14) === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
    return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) }
  } catch {
    return undefined
  }
}

/** The largest picture of an icon, in which 0 stands for 256. */
function iconSize(bytes: Buffer): { width: number; height: number } {
  const sides = Array.from({ length: Math.min(64, bytes.readUInt16LE(4)) }, (_, index) => ({
    width: bytes.readUInt8(6 + index * 16) || 256,
    height: bytes.readUInt8(7 + index * 16) || 256,
  }))
  return sides.reduce((largest, side) => (side.width > largest.width ? side : largest))
}

const names: Readonly<Record<string, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'image/tiff': 'TIFF',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
  'image/bmp': 'BMP',
  'image/x-icon': 'icon',
  'image/svg+xml': 'SVG',
  'image/vnd.adobe.photoshop': 'Photoshop',
}

const isSvg =
  /^(\u00ef\u00bb\u00bf)?\s*(<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE svg[^>[]*(\[[^\]]*\])?>\s*)*<(\w+:)?svg[\s>]/i

function typeOf(head: Buffer): string | undefined {
  const start = head.toString('latin1', 0, 12)
  if (start.startsWith('ÿØÿ')) return 'image/jpeg'
  if (start.startsWith('\u0089PNG')) return 'image/png'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (/^RIFF....WEBP/s.test(start)) return 'image/webp'
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'image/tiff'
  if (/^....ftyp(avif|avis)/s.test(start)) return 'image/avif'
  if (/^....ftyp(hei[cxms]|hev[cxms]|mif1|mif2|msf1)/s.test(start)) return 'image/heic'
  if (start.startsWith('\0\0\u0001\0') && head[4]! > 0 && head[4]! <= 64 && head[5] === 0 && head[9] === 0)
    return 'image/x-icon'
  if (isSvg.test(head.toString('latin1'))) return 'image/svg+xml'
  if (start.startsWith('8BPS')) return 'image/vnd.adobe.photoshop'
  return start.startsWith('BM') && head.length >= 26 && head.readUInt32LE(14) >= 12 && head.readUInt32LE(14) <= 124
    ? 'image/bmp'
    : undefined
}
