import { type Buffer, isUtf8 } from 'node:buffer'

/** Texts that only make sense converted. Others, such as CSV, are shown as they are. */
const convertedTexts = /\.(rtf|eml|mbox|mht|mhtml|fodt|fodp|fods|ics|vcf)$/i
/** Names of documents that are not text. Programs save web pages, tables and messages under them, too. */
const documentNames =
  /\.(pdf|doc[xm]?|dot[xm]?|xls[xmb]?|xlt[xm]?|pp[ts][xm]?|pot[xm]?|od[tspg]|ot[tsp]|epub|msg|zip|parquet)$/i
/** Names that promise no more than text. What their content starts with decides. */
const vagueNames = /(^|\/)[^./]+$|\.(te?xt|dat|data|bin|tmp|temp|bak|download|unknown)$/i
const convertedStarts =
  /^\s*(\{\\rtf|BEGIN:V(CALENDAR|CARD)\b|<!doctype html|<html\b|(<\?xml[^>]*>\s*)?<office:document\b|<\?mso-application|([\w-]+:.*\n([ \t].*\n)*)*(mime-version|message-id):)/i

/** True if a text is shown converted: by its name, or by its start if the name does not say what it is. */
export function isConvertedText(name: string, head: Uint8Array): boolean {
  if (convertedTexts.test(name) || documentNames.test(name)) return true
  return vagueNames.test(name) && convertedStarts.test(new TextDecoder().decode(head.subarray(0, 4096)))
}

/** Texts that are shown converted or as they are. */
export const htmlFiles = /\.x?html?$/i

/** File type, detected from the first bytes instead of the name. */
export type FileKind =
  | { kind: 'text' }
  | { kind: 'image'; mediaType: string }
  | { kind: 'pdf'; mediaType: 'application/pdf' }
  | { kind: 'binary'; name: string }

export const headLength = 8192

/** True for documents with sound, by the name of their reader. */
export function isRecording(format: string): boolean {
  return format === 'audio' || format === 'video'
}

export function fileKind(head: Uint8Array): FileKind {
  const mediaType = imageSignatures.find(
    ([bytes, , also]) => startsWith(head, bytes) && (also === undefined || also(head)),
  )?.[1]
  if (mediaType !== undefined) return { kind: 'image', mediaType }
  if (ascii(head, 0, 5) === '%PDF-') return { kind: 'pdf', mediaType: 'application/pdf' }
  if (!looksBinary(head)) return { kind: 'text' }
  const name = binarySignatures.find(([bytes, , at]) => startsWith(head, bytes, at))?.[1]
  return { kind: 'binary', name: name ?? 'binary data' }
}

const charCodes = (value: string): number[] => value.split('').map((character) => character.charCodeAt(0))

const imageSignatures: [number[], string, ((head: Uint8Array) => boolean)?][] = [
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
  [[0xff, 0xd8, 0xff], 'image/jpeg'],
  [charCodes('GIF8'), 'image/gif', (head) => ascii(head, 5, 1) === 'a' && looksBinary(head)],
  [charCodes('RIFF'), 'image/webp', (head) => ascii(head, 8, 4) === 'WEBP'],
]

export const databaseName = 'an SQLite database'

const binarySignatures: [number[], string, number?][] = [
  [charCodes('PK\x03\x04'), 'a ZIP archive (possibly an office document or a package)'],
  [charCodes('PK\x05\x06'), 'an empty ZIP archive'],
  [[0x1f, 0x8b], 'gzip data'],
  [charCodes('BZh'), 'bzip2 data'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'xz data'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd data'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'a 7z archive'],
  [charCodes('Rar!'), 'a RAR archive'],
  [charCodes('ustar'), 'a tar archive', 257],
  [charCodes('\x7fELF'), 'an ELF program or library'],
  [charCodes('MZ'), 'a Windows program or library'],
  [[0xfe, 0xed, 0xfa], 'a Mach-O program or library'],
  [[0xcf, 0xfa, 0xed, 0xfe], 'a Mach-O program or library'],
  [[0xca, 0xfe, 0xba, 0xbe], 'a Java class or a universal Mach-O program'],
  [charCodes('\0asm'), 'a WebAssembly module'],
  [charCodes('!<arch>'), 'a library archive'],
  [charCodes('SQLite format 3\0'), databaseName],
  [charCodes('PAR1'), 'a Parquet file'],
  [charCodes('BM'), 'a BMP image'],
  [charCodes('II*\0'), 'a TIFF image'],
  [charCodes('MM\0*'), 'a TIFF image'],
  [charCodes('\0\0\x01\0'), 'an icon'],
  [charCodes('8BPS'), 'a Photoshop document'],
  [charCodes('ftyp'), 'an MP4, HEIC or AVIF file', 4],
  [charCodes('\x1aE\xdf\xa3'), 'a Matroska or WebM video'],
  [charCodes('OggS'), 'an Ogg file'],
  [charCodes('fLaC'), 'FLAC audio'],
  [charCodes('ID3'), 'MP3 audio'],
  [charCodes('RIFF'), 'a WAV or AVI file'],
  [charCodes('wOFF'), 'a web font'],
  [charCodes('wOF2'), 'a web font'],
  [[0x00, 0x01, 0x00, 0x00], 'a TrueType font'],
  [charCodes('OTTO'), 'an OpenType font'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Microsoft Office document'],
]

/** True for a NUL byte, or invalid UTF-8 with many control characters. UTF-16 with a byte order mark is text. */
function looksBinary(head: Uint8Array): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return false
  if (head.includes(0)) return true
  if (isUtf8(head)) return false
  let control = 0
  for (const byte of head) if (byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) control++
  return control * 10 > head.length
}

function startsWith(head: Uint8Array, bytes: number[], at = 0): boolean {
  return bytes.every((byte, index) => head[at + index] === byte)
}

function ascii(head: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...head.subarray(from, from + length))
}

/** Reads width and height in pixels from the header of a PNG, GIF, JPEG, or WebP. */
export function imageSize(bytes: Buffer, mediaType: string): { width: number; height: number } | undefined {
  try {
    if (mediaType === 'image/png') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    if (mediaType === 'image/gif') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
    if (mediaType === 'image/jpeg') return jpegSize(bytes)
    if (mediaType === 'image/webp') return webpSize(bytes)
  } catch {
    // A truncated header has no size.
  }
  return undefined
}

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

/** Limits of the strictest common provider: 5 MB per image as base64, 20 MB per request. */
const maxImageBytes = 3_750_000
const maxImageSide = 8000
export const maxRequestBytes = 14 * 2 ** 20

export interface MediaFacts {
  kind: 'image' | 'pdf'
  size: number
  /** In pixels, if the image header has it. */
  width?: number
  height?: number
}

/**
 * Explains why a file cannot be shown to a model and what to do. Sending it would make the provider reject the whole
 * request.
 */
export function mediaProblem({ kind, size, width = 0, height = 0 }: MediaFacts): string | undefined {
  if (kind === 'pdf') {
    if (size <= maxRequestBytes) return undefined
    return `It is too large for a model: the limit is ${maxRequestBytes / 2 ** 20} MB. Extract the relevant pages or the text with a command.`
  }
  if (width === 0 || height === 0) return 'It is not sent to the model, because its header is damaged.'
  if (size <= maxImageBytes && width <= maxImageSide && height <= maxImageSide) return undefined
  return `It is too large for a model: the limit is ${maxImageBytes / 1e6} MB and ${maxImageSide} x ${maxImageSide} pixels. Make a smaller copy with a command and read that.`
}
