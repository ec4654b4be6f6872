import type { DocumentSource } from '../reader.ts'
import { decodeXml } from '../text/decode.ts'
import { parseXml, type XmlElement } from '../xml/parse-xml.ts'
import { openZipFile, type ZipEntry } from '../zip/zip-file.ts'

/** A document that is a zip of parts: Office Open XML, OpenDocument, EPUB. */
export interface ZipPackage {
  names: readonly string[]
  /** Unpacked size of a part. Undefined if there is no such part. */
  size(name: string): number | undefined
  bytes(name: string, most?: number): Promise<Buffer | undefined>
  text(name: string): Promise<string | undefined>
  xml(name: string): Promise<XmlElement | undefined>
}

/** A part larger than this is refused. */
const maxPartBytes = 100 * 2 ** 20
/** All parts read for one answer. */
const maxTotalBytes = 400 * 2 ** 20

export async function withZipPackage<T>(source: DocumentSource, use: (parts: ZipPackage) => Promise<T>): Promise<T> {
  let zip
  try {
    zip = await openZipFile(source.path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${source.name} cannot be opened: ${reason}. It may be incomplete; ask for another copy.`)
  }
  try {
    return await use(packageOf(zip.entries))
  } finally {
    await zip.close()
  }
}

function packageOf(entries: readonly ZipEntry[]): ZipPackage {
  const byName = new Map<string, ZipEntry>()
  // The first of two entries with one name wins, as in office programs. Names of parts ignore case.
  for (const entry of entries) {
    const key = keyOf(entry.name)
    if (!byName.has(key)) byName.set(key, entry)
  }
  let total = 0
  const bytes = async (name: string, most = maxPartBytes): Promise<Buffer | undefined> => {
    const entry = byName.get(keyOf(name))
    if (entry === undefined) return undefined
    total += entry.size
    if (entry.size > most || total > maxTotalBytes)
      throw new Error(`The part ${entry.name.slice(0, 200)} is too large to read: ${entry.size} bytes.`)
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of entry.read()) chunks.push(chunk)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`The document is damaged: ${reason}. Ask for another copy.`)
    }
    return Buffer.concat(chunks)
  }
  const text = async (name: string): Promise<string | undefined> => {
    const found = await bytes(name)
    return found === undefined ? undefined : decodeXml(found)
  }
  return {
    names: entries.map(({ name }) => name),
    size: (name) => byName.get(keyOf(name))?.size,
    bytes,
    text,
    async xml(name) {
      const found = await text(name)
      return found === undefined ? undefined : parseXml(found)
    },
  }
}

function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()
}
