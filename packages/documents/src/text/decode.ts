/** Text of bytes in UTF-8, UTF-16 or the code page given, by byte order mark first. */
export function decodeBytes(bytes: Uint8Array, fallback = 'windows-1252'): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return decodeCharset(bytes, fallback)
  }
}

/** Text at the start of a file. Undefined if the bytes are not text. */
export function textOfHead(head: Uint8Array): string | undefined {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (!isWide && head.includes(0)) return undefined
  const text = decodeBytes(isWide ? head.subarray(0, head.length & ~1) : head).replace(/^\uFEFF/, '')
  // eslint-disable-next-line no-control-regex
  const controls = text.match(/[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]/g)?.length ?? 0
  return controls * 50 > text.length ? undefined : text
}

/** XML says its encoding in its first line; without one it is UTF-8 or UTF-16. */
export function decodeXml(bytes: Uint8Array): string {
  if (bytes[0] === 0x3c && bytes[1] === 0) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0 && bytes[1] === 0x3c) return new TextDecoder('utf-16be').decode(bytes)
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  const declared = /^[^<]{0,3}<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1]
  return decodeBytes(bytes, declared ?? 'windows-1252')
}

/** Unknown names are read as Windows-1252, which gives every byte a character. */
export function decodeCharset(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset.trim() === '' ? 'windows-1252' : charset.trim()).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Decoder names of Windows code pages, as numbers in old formats. */
export function codePageName(codePage: number): string {
  if (codePage === 65001) return 'utf-8'
  if (codePage === 1200) return 'utf-16le'
  if (codePage === 10000) return 'macintosh'
  if (codePage === 932) return 'shift_jis'
  if (codePage === 936) return 'gb18030'
  if (codePage === 949) return 'euc-kr'
  if (codePage === 950) return 'big5'
  if (codePage === 866) return 'ibm866'
  if (codePage === 20866) return 'koi8-r'
  if (codePage === 874) return 'windows-874'
  if (codePage >= 1250 && codePage <= 1258) return `windows-${codePage}`
  if (codePage === 20127 || codePage === 0 || codePage === 1) return 'windows-1252'
  if (codePage >= 28591 && codePage <= 28605) return `iso-8859-${codePage - 28590}`
  return 'windows-1252'
}
