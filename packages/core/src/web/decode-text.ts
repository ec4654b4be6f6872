import { isUtf8 } from 'node:buffer'

/** The text of a page, in the encoding that its mark, its header or its first lines name. */
export function decodeText(body: Uint8Array, contentType: string): string {
  const label =
    markedEncoding(body) ?? charsetFromHeader(contentType) ?? declaredEncoding(body) ?? guessedEncoding(body)
  return decoder(label, body).decode(body)
}

function markedEncoding(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  return undefined
}

function charsetFromHeader(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1]
}

/** `<meta charset>`, `<meta http-equiv>` or the XML declaration, among the first bytes. */
function declaredEncoding(body: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(body.subarray(0, 4096))
  const label =
    /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}encoding=["']([\w-]+)/.exec(head)?.[1]
  // Bytes that could be read so far are not of two bytes each.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}

/** What browsers do for pages that say nothing. */
function guessedEncoding(body: Uint8Array): string {
  return isUtf8(body) ? 'utf-8' : 'windows-1252'
}

/** A name that nobody knows is as good as none. */
function decoder(label: string, body: Uint8Array): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder(guessedEncoding(body))
  }
}
