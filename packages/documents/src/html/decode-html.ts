import { decodeBytes } from '../text/decode.ts'

/** HTML names its character set in a tag near its start, after any byte order mark. */
export function decodeHtml(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4096))
  const declared =
    /<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ??
    /<\?xml[^>]+encoding\s*=\s*["']([\w.-]+)/i.exec(head)?.[1]
  return decodeBytes(bytes, declared ?? 'windows-1252')
}
