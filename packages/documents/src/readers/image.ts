import type { DocumentImage } from '@troupe/core'
import { exifLines } from '../media/image-facts.ts'
import { defineReader } from '../reader.ts'
import { checkParts, sizeOf } from '../text/parts.ts'

const title = 'an image'
const maxBytes = 100 * 2 ** 20
const longestSide = 1568

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
    // Formats that cannot be decoded, such as HEIC of phones, still have their facts.
    const size = await sharp(bytes, { failOn: 'none' })
      .metadata()
      .catch(() => undefined)
    const facts = [names[type] ?? type, sizeOf(source.size)]
    if (size?.width !== undefined && size.height !== undefined)
      facts.splice(1, 0, `${size.width} x ${size.height} pixels`)
    if ((size?.pages ?? 1) > 1) facts.push(`${size?.pages} pages or frames`)
    if (size?.hasAlpha === true) facts.push('transparency')
    return {
      mediaType: type,
      facts: facts.join(', '),
      text: (await exifLines(bytes)).join('\n'),
      images: part.images === true ? await shownImage(bytes) : undefined,
    }
  },
})

/** The picture in a format and size that models take. None if it cannot be decoded, such as HEIC of phones. */
async function shownImage(bytes: Buffer): Promise<DocumentImage[]> {
  const { default: sharp } = await import('sharp')
  try {
    const { data, info } = await sharp(bytes, { failOn: 'none' })
      .rotate()
      .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer({ resolveWithObject: true })
    return [{ anchor: 'image', bytes: data, mediaType: 'image/png', width: info.width, height: info.height }]
  } catch {
    return []
  }
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
  if (/^....ftyp(heic|heix|mif1|msf1)/s.test(start)) return 'image/heic'
  if (start.startsWith('8BPS')) return 'image/vnd.adobe.photoshop'
  return start.startsWith('BM') && head.length >= 26 && head.readUInt32LE(14) >= 12 && head.readUInt32LE(14) <= 124
    ? 'image/bmp'
    : undefined
}
