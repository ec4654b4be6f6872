import path from 'node:path'
import { decodeXml } from '../text/decode.ts'
import { attribute, descendants, parseXml, type XmlElement } from '../xml/parse-xml.ts'
import type { ZipEntry, ZipFile } from '../zip/zip-file.ts'

/** The parts of an OOXML file and how they refer to each other. */
export interface XlsxPackage {
  part(name: string): ZipEntry | undefined
  names(): readonly string[]
  /** Parses a part. Undefined if it is missing or damaged. Throws if it is larger than `maxPartBytes`. */
  xml(name: string): Promise<XmlElement | undefined>
  relations(name: string): Promise<readonly Relation[]>
}

export interface Relation {
  id: string
  /** The last word of its type: `worksheet`, `comments`. */
  type: string
  /** Name of a part, or an address outside the file. */
  target: string
  isExternal: boolean
}

const maxPartBytes = 32 * 2 ** 20

export function xlsxPackage(zip: ZipFile): XlsxPackage {
  // Names differ in case between producers, and some start with a slash or use backslashes.
  const entries = new Map(zip.entries.map((entry) => [keyOf(entry.name), entry]))
  const pack: XlsxPackage = {
    part: (name) => entries.get(keyOf(name)),
    names: () => [...entries.keys()],
    async xml(name) {
      const entry = pack.part(name)
      if (entry === undefined) return undefined
      if (entry.size > maxPartBytes) throw new Error(`The part ${name} of the workbook is too large to read.`)
      const chunks: Uint8Array[] = []
      try {
        for await (const chunk of entry.read()) chunks.push(chunk)
      } catch {
        return undefined
      }
      return parseXml(decodeXml(Buffer.concat(chunks)))
    },
    async relations(name) {
      const folder = path.posix.dirname(name)
      const root = await pack.xml(`${folder}/_rels/${path.posix.basename(name)}.rels`)
      if (root === undefined) return []
      return [...descendants(root, 'Relationship')].map((relation) => {
        const target = attribute(relation, 'Target') ?? ''
        const isExternal = attribute(relation, 'TargetMode') === 'External'
        return {
          id: attribute(relation, 'Id') ?? '',
          type: (attribute(relation, 'Type') ?? '').split('/').at(-1) ?? '',
          target: isExternal ? target : target.startsWith('/') ? target.slice(1) : path.posix.join(folder, target),
          isExternal,
        }
      })
    },
  }
  return pack
}

/** Part of the workbook itself. It has any name; the relations of the package give it. */
export async function workbookPart(pack: XlsxPackage): Promise<string> {
  const relations = await pack.relations('')
  const main = relations.find(({ type }) => type === 'officeDocument')?.target
  if (main !== undefined && pack.part(main) !== undefined) return main
  const usual = pack.names().find((name) => /(^|\/)xl\/workbook\.xml$/.test(name))
  if (usual === undefined) throw new Error('The workbook is damaged: it has no list of sheets. Ask for another copy.')
  return usual
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on'
}

function keyOf(name: string): string {
  return path.posix
    .normalize(name.replaceAll('\\', '/'))
    .replace(/^(\.?\/)+/, '')
    .toLowerCase()
}
