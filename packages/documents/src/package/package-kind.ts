import type { DocumentSource } from '../reader.ts'
import { withZipPackage } from './zip-package.ts'

const kinds = new WeakMap<DocumentSource, Promise<string>>()

/**
 * The media type of a document that is a zip: of the main part for Office Open XML, of the file `mimetype` for
 * OpenDocument and EPUB. Empty for other files. Every reader of such a format asks, so the answer is kept.
 */
export function packageKind(head: Buffer, source: DocumentSource): Promise<string> {
  if (head.length < 4 || head.readUInt32LE(0) !== 0x04034b50) return Promise.resolve('')
  const known = kinds.get(source)
  if (known !== undefined) return known
  const kind = findKind(source).catch(() => '')
  kinds.set(source, kind)
  return kind
}

function findKind(source: DocumentSource): Promise<string> {
  return withZipPackage(source, async (parts) => {
    const mimetype = await parts.bytes('mimetype', 1000)
    if (mimetype !== undefined) return mimetype.toString('latin1').trim()
    const types = (await parts.text('[Content_Types].xml')) ?? ''
    // The main part has a type of its format; every other part has a type of its role.
    const main =
      /ContentType\s*=\s*["']([^"']*(?:\.main\+xml|macroEnabledTemplate\.main\+xml|sheet\.binary\.[^"']*main))["']/
    const found = main.exec(types)?.[1]
    if (found !== undefined) return found
    if (parts.size('META-INF/container.xml') !== undefined) return 'application/epub+zip'
    if (parts.size('word/document.xml') !== undefined) return 'wordprocessingml.document.main+xml'
    if (parts.size('ppt/presentation.xml') !== undefined) return 'presentationml.presentation.main+xml'
    if (parts.size('xl/workbook.xml') !== undefined) return 'spreadsheetml.sheet.main+xml'
    return ''
  })
}
