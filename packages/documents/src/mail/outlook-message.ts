import type { CompoundFile } from '../ole/compound-file.ts'
import { readRtf } from '../rtf/read-rtf.ts'
import { htmlInRtf } from '../rtf/rtf-html.ts'
import { codePageName, decodeBytes, decodeCharset } from '../text/decode.ts'
import { decodeHtml } from '../html/decode-html.ts'
import { unpackRtf } from './compressed-rtf.ts'
import type { Mail, MailAttachment } from './mail-lines.ts'

const maxRecipients = 1000

/** Reads a message of Outlook: each property is a stream whose name has its number and type. */
export function outlookMessage(file: CompoundFile): Mail {
  const codePage = numberOf(file, '', 0x3ffd) ?? numberOf(file, '', 0x3fde) ?? 1252
  const text = (folder: string, ...properties: number[]): string => {
    for (const property of properties) {
      const found = textOf(file, folder, property, codePage)
      if (found !== undefined && found !== '') return found
    }
    return ''
  }
  const rtf = unpackRtf(streamOf(file, '', 0x1009, 0x0102) ?? Buffer.alloc(0))
  const binaryHtml = streamOf(file, '', 0x1013, 0x0102)
  const html =
    binaryHtml === undefined
      ? text('', 0x1013)
      : htmlOf(binaryHtml, numberOf(file, '', 0x3fde) ?? numberOf(file, '', 0x3ffd))
  const plain = text('', 0x1000)
  const wrapped = rtf === undefined ? undefined : htmlInRtf(rtf)
  return {
    ...recipients(file, text),
    from: person(text('', 0x0c1a, 0x0042), text('', 0x5d01, 0x0c1f, 0x0065)),
    subject: text('', 0x0037, 0x0e1d),
    date: dateOf(file, 0x0039) ?? dateOf(file, 0x0e06) ?? '',
    html: html !== '' ? html : wrapped,
    // RTF is the last choice: it says the same as the plain text, with formatting.
    text:
      plain !== '' || rtf === undefined || wrapped !== undefined
        ? plain
        : readRtf(rtf)
            .blocks.map((block) => block.text)
            .join('\n\n'),
    attachments: attachments(file, text),
  }
}

function htmlOf(bytes: Buffer, codePage: number | undefined): string {
  return codePage === undefined || /<meta[^>]+charset/i.test(bytes.toString('latin1', 0, 4096))
    ? decodeHtml(bytes)
    : decodeCharset(bytes, codePageName(codePage))
}

function recipients(
  file: CompoundFile,
  text: (folder: string, ...properties: number[]) => string,
): { to: string; cc: string; bcc: string } {
  const found: [number, string][] = folders(file, '__recip_version1.0_').map((folder) => [
    numberOf(file, folder, 0x0c15) ?? 1,
    person(text(folder, 0x3001), text(folder, 0x39fe, 0x3003)),
  ])
  const kind = (number: number): string =>
    found
      .filter(([each]) => each === number)
      .map(([, name]) => name)
      .join(', ')
  const hasAny = found.length > 0
  return {
    to: hasAny ? kind(1) : text('', 0x0e04),
    cc: hasAny ? kind(2) : text('', 0x0e03),
    bcc: hasAny ? kind(3) : text('', 0x0e02),
  }
}

function attachments(file: CompoundFile, text: (folder: string, ...properties: number[]) => string): MailAttachment[] {
  return folders(file, '__attach_version1.0_').map((folder) => {
    const isMessage = file.has(`${folder}/__substg1.0_3701000D`)
    const name = text(folder, 0x3707, 0x3704, 0x3001)
    return {
      name: name === '' && isMessage ? 'message' : name,
      type: isMessage ? 'an Outlook item' : text(folder, 0x370e),
      size:
        file.entries.find(({ path }) => path.toLowerCase() === `${folder}/__substg1.0_37010102`.toLowerCase())?.size ??
        0,
    }
  })
}

function folders(file: CompoundFile, prefix: string): string[] {
  return file.entries
    .filter(({ path, isStorage }) => isStorage && path.startsWith(prefix) && !path.includes('/'))
    .slice(0, maxRecipients)
    .map(({ path }) => path)
    .toSorted()
}

function person(name: string, address: string): string {
  const plain = name.replace(/^'(.*)'$/, '$1')
  if (address === '' || address === plain || address.startsWith('/')) return plain
  return plain === '' ? address : `${plain} <${address}>`
}

function streamOf(file: CompoundFile, folder: string, property: number, type: number): Buffer | undefined {
  const name = `__substg1.0_${hex(property)}${hex(type)}`
  return file.stream(folder === '' ? name : `${folder}/${name}`)
}

function textOf(file: CompoundFile, folder: string, property: number, codePage: number): string | undefined {
  const wide = streamOf(file, folder, property, 0x001f)
  if (wide !== undefined) return wide.toString('utf16le').replace(/\0+$/, '')
  const narrow = streamOf(file, folder, property, 0x001e)
  if (narrow === undefined) return undefined
  // Messages that claim UTF-8 are often written in the code page of Windows.
  const text = codePage === 65001 ? decodeBytes(narrow) : decodeCharset(narrow, codePageName(codePage))
  return text.replace(/\0+$/, '')
}

/** Values of a fixed size are in one stream: 16 bytes each, after a header. */
function fixed(file: CompoundFile, folder: string, property: number): Buffer | undefined {
  const name = '__properties_version1.0'
  const stream = file.stream(folder === '' ? name : `${folder}/${name}`)
  if (stream === undefined) return undefined
  for (let at = folder === '' ? 32 : 8; at + 16 <= stream.length; at += 16)
    if (stream.readUInt16LE(at + 2) === property) return stream.subarray(at + 8, at + 16)
  return undefined
}

function numberOf(file: CompoundFile, folder: string, property: number): number | undefined {
  return fixed(file, folder, property)?.readUInt32LE(0)
}

/** Dates count steps of 100 nanoseconds since 1601. */
function dateOf(file: CompoundFile, property: number): string | undefined {
  const bytes = fixed(file, '', property)
  if (bytes === undefined) return undefined
  const ms = Number(bytes.readBigUInt64LE(0) / 10_000n) - 11_644_473_600_000
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : undefined
}

function hex(number: number): string {
  return number.toString(16).toUpperCase().padStart(4, '0')
}
