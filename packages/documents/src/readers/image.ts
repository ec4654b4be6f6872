import type { DocumentImage } from '@troupe/core'
import type { OutputInfo, Sharp } from 'sharp'
import { decodeHeic } from '../media/decode-heic.ts'
import { exifLines } from '../media/image-facts.ts'
import { defineReader } from '../reader.ts'
import { checkParts, sizeOf } from '../text/parts.ts'

const title = 'an image'
const maxBytes = 100 * 2 ** 20
const longestSide = 1568
/** Larger pictures become JPEG. */
const mostPngBytes = 1_000_000

export default defineReader({
  title,
  extensions: ['jpg', 'jpeg', 'png', 'webp', 'gif', 'tif', 'tiff', 'heic', 'heif', 'avif', 'bmp', 'psd'],
  mediaTypes: ['image/jpeg'],
  matches: (head) => typeOf(head) !== undefined,
  async read(source, part) {
    checkParts(part, title, ['images'], 'It has facts only.')
    const bytes = await source.bytes(maxBytes)
    const type = typeOf(bytes.subarray(0, 32)) ?? 'image/jpeg'
    const { default: sharp } = await import('sharp')
    // Formats that cannot be decoded still have their facts.
    const size = await sharp(bytes, { failOn: 'none' })
      .metadata()
      .catch(() => undefined)
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
  if (isAsked || !/heic|tiff|avif/.test(type))
    return [
      'The picture cannot be decoded: it is damaged, or of a kind that is not supported. Convert it to PNG or JPEG with a command.',
    ]
  return ['Read it with "images": true to see the picture.']
}

/** The picture in a format and size that models take. Undefined if it cannot be decoded. */
async function shownImage(bytes: Buffer, type: string): Promise<DocumentImage | undefined> {
  const { default: sharp } = await import('sharp')
  try {
    const picture = type === 'image/heic' ? await openHeic(bytes) : sharp(bytes, { failOn: 'none' }).rotate()
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

/** Sharp has no decoder for the pictures of phones. */
async function openHeic(bytes: Buffer): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  const { data, width, height } = await decodeHeic(bytes)
  return sharp(data, { raw: { width, height, channels: 4 } })
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
  'image/vnd.adobe.photoshop': 'Photoshop',
}

function typeOf(head: Buffer): string | undefined {
  const start = head.toString('latin1', 0, 12)
  if (start.startsWith('ÿØÿ')) return 'image/jpeg'
  if (start.startsWith('\u0089PNG')) return 'image/png'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (/^RIFF....WEBP/s.test(start)) return 'image/webp'
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'image/tiff'
  if (/^....ftyp(avif|avis)/s.test(start)) return 'image/avif'
  if (/^....ftyp(hei[cxms]|hev[cxms]|mif1|mif2|msf1)/s.test(start)) return 'image/heic'
  if (start.startsWith('8BPS')) return 'image/vnd.adobe.photoshop'
  return start.startsWith('BM') && head.length >= 26 && head.readUInt32LE(14) >= 12 && head.readUInt32LE(14) <= 124
    ? 'image/bmp'
    : undefined
}
