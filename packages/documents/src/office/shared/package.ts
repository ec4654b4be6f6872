import { Buffer } from 'node:buffer'
import path from 'node:path'
import { append, editableXml, type Element, elements, fragment, remove, valueOf, xmlText } from '../../xml/edit-xml.ts'
import { escapeXml } from '../../xml/parse-xml.ts'
import {
  readZipDirectory,
  readZipRecord,
  spliceZip,
  type ZipDirectory,
  type ZipPiece,
  type ZipRecord,
} from '../../zip/splice-zip.ts'

export interface Relationship {
  id: string
  /** The last word of its type: `worksheet`, `image`. Strict and transitional files differ in the rest. */
  kind: string
  /** Name of the part, or the address if it is outside. */
  target: string
  isExternal: boolean
  element: Element
}

const maxXmlBytes = 128 * 2 ** 20
const kindAddress = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const strictAddress = 'http://purl.oclc.org/ooxml/officeDocument/relationships'

/**
 * An office file: parts in a zip, with types and relationships. Parts are parsed when they are first used, and only
 * those that changed are written.
 */
export class OfficePackage {
  readonly #zip: Buffer
  readonly #directory: ZipDirectory
  readonly #records = new Map<string, ZipRecord>()
  /** Spellings in the archive by their lower case. */
  readonly #spellings = new Map<string, string>()
  readonly #trees = new Map<string, { root: Element; encoding: Encoding }>()
  readonly #changes = new Map<string, Uint8Array | null>()

  constructor(zip: Buffer) {
    this.#zip = zip
    this.#directory = readZipDirectory(zip)
    for (const record of this.#directory.records) {
      if (record.name.endsWith('/')) continue
      this.#records.set(record.name, record)
      this.#spellings.set(record.name.toLowerCase(), record.name)
    }
  }

  names(): string[] {
    const kept = [...this.#records.values()].map(({ name }) => name).filter((name) => this.#changes.get(name) !== null)
    const added = [...this.#changes].filter(([name, bytes]) => bytes !== null && !this.#records.has(name))
    return [...kept, ...added.map(([name]) => name)]
  }

  has(name: string): boolean {
    const spelled = this.#spelled(name)
    return this.#changes.has(spelled) ? this.#changes.get(spelled) !== null : this.#records.has(spelled)
  }

  bytes(name: string): Buffer {
    const spelled = this.#spelled(name)
    const changed = this.#changes.get(spelled)
    if (changed instanceof Uint8Array) return Buffer.from(changed)
    const record = this.#records.get(spelled)
    if (record === undefined || changed === null) throw new Error(`The file has no part "${name.slice(0, 200)}".`)
    return readZipRecord(this.#zip, record)
  }

  text(name: string): string {
    return this.#decoded(name).text
  }

  /** Other programs refuse or cut a part with text around its root element, so an edit would be lost there. */
  #decoded(name: string): ReturnType<typeof decode> {
    const bytes = this.bytes(name)
    if (bytes.length > maxXmlBytes) throw new Error(`${name} is too large to be edited.`)
    const decoded = decode(bytes)
    if (!/^\uFEFF?\s*(<[?!]|<[\w.-])/.test(decoded.text) || /\?>\s*[^<\s]/.test(decoded.text.slice(0, 1000)))
      throw new Error(`${name} is damaged: it has text outside of its root element. Ask for another copy of the file.`)
    return decoded
  }

  /** The tree of an XML part. Changes to it are saved. */
  xml(name: string): Element {
    const spelled = this.#spelled(name)
    const known = this.#trees.get(spelled)
    if (known !== undefined) return known.root
    const { text, encoding } = this.#decoded(name)
    const root = editableXml(text)
    this.#trees.set(spelled, { root, encoding })
    return root
  }

  /** The document element of an XML part. */
  root(name: string): Element {
    const [found] = elements(this.xml(name))
    if (found === undefined) throw new Error(`${name} is empty, so the file is damaged.`)
    return found
  }

  /** Writes a part, old or new. */
  set(name: string, content: string | Uint8Array): void {
    const spelled = this.#spelled(name)
    this.#trees.delete(spelled)
    this.#changes.set(spelled, typeof content === 'string' ? Buffer.from(content) : content)
  }

  /** Adds a part of a type, under a name that is free: `word/media/image%.png`. */
  add(pattern: string, content: string | Uint8Array, contentType: string): string {
    const name = this.freeName(pattern)
    this.set(name, content)
    this.setType(name, contentType)
    return name
  }

  freeName(pattern: string): string {
    if (!pattern.includes('%')) return pattern
    for (let number = 1; ; number++) {
      const name = pattern.replace('%', String(number))
      if (!this.has(name)) return name
    }
  }

  /** Removes a part with its relationships and its type. */
  remove(name: string): void {
    for (const each of [name, relationshipsOf(name)]) {
      const spelled = this.#spelled(each)
      this.#trees.delete(spelled)
      if (this.#records.has(spelled)) this.#changes.set(spelled, null)
      else this.#changes.delete(spelled)
    }
    const types = this.root('[Content_Types].xml')
    for (const override of elements(types, 'Override'))
      if (valueOf(override, 'PartName')?.toLowerCase() === `/${name}`.toLowerCase()) remove(override)
  }

  typeOf(name: string): string | undefined {
    const types = this.root('[Content_Types].xml')
    const override = elements(types, 'Override').find(
      (each) => valueOf(each, 'PartName')?.toLowerCase() === `/${name}`.toLowerCase(),
    )
    const extension = path.posix.extname(name).slice(1).toLowerCase()
    const byExtension = elements(types, 'Default').find(
      (each) => valueOf(each, 'Extension')?.toLowerCase() === extension,
    )
    return valueOf(override ?? byExtension, 'ContentType')
  }

  setType(name: string, contentType: string): void {
    if (this.typeOf(name) === contentType) return
    const types = this.root('[Content_Types].xml')
    for (const override of elements(types, 'Override'))
      if (valueOf(override, 'PartName')?.toLowerCase() === `/${name}`.toLowerCase()) remove(override)
    const prefix = types.name.slice(0, types.name.indexOf(':') + 1)
    append(
      types,
      ...fragment(`<${prefix}Override PartName="${escapeXml(`/${name}`)}" ContentType="${escapeXml(contentType)}"/>`),
    )
  }

  relationships(part: string): Relationship[] {
    const name = relationshipsOf(part)
    if (!this.has(name)) return []
    return elements(this.root(name), 'Relationship').map((element) => {
      const isExternal = valueOf(element, 'TargetMode') === 'External'
      const target = valueOf(element, 'Target') ?? ''
      return {
        id: valueOf(element, 'Id') ?? '',
        kind: (valueOf(element, 'Type') ?? '').split('/').at(-1) ?? '',
        target: isExternal ? target : resolveTarget(part, target),
        isExternal,
        element,
      }
    })
  }

  related(part: string, kind: string): string | undefined {
    return this.relationships(part).find((each) => each.kind === kind && !each.isExternal && this.has(each.target))
      ?.target
  }

  targetOf(part: string, id: string | undefined): string | undefined {
    return this.relationships(part).find((each) => each.id === id)?.target
  }

  /** Adds a relationship and returns its id. `kind` is a word of the office types, or a whole address. */
  relate(part: string, kind: string, target: string, { external = false } = {}): string {
    const name = relationshipsOf(part)
    if (!this.has(name)) {
      this.set(
        name,
        `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>`,
      )
    }
    const root = this.root(name)
    const used = new Set(elements(root).map((each) => valueOf(each, 'Id')))
    let number = used.size + 1
    while (used.has(`rId${number}`)) number++
    const type = kind.includes('/') ? kind : `${this.isStrict() ? strictAddress : kindAddress}/${kind}`
    const shown = external ? target : path.posix.relative(path.posix.dirname(`/${part}`), `/${target}`)
    const prefix = root.name.slice(0, root.name.indexOf(':') + 1)
    append(
      root,
      ...fragment(
        `<${prefix}Relationship Id="rId${number}" Type="${escapeXml(type)}" Target="${escapeXml(shown)}"${external ? ' TargetMode="External"' : ''}/>`,
      ),
    )
    return `rId${number}`
  }

  unrelate(part: string, id: string): void {
    const found = this.relationships(part).find((each) => each.id === id)
    if (found !== undefined) remove(found.element)
  }

  /** The part that a file is about: document, workbook or presentation. */
  main(): string {
    const found = this.related('', 'officeDocument')
    if (found === undefined) throw new Error('The file is damaged: it has no main document.')
    return found
  }

  isStrict(): boolean {
    return this.relationships('').some(({ element }) => valueOf(element, 'Type')?.startsWith(strictAddress) === true)
  }

  /** Ends the edit: the new archive in pieces, and the names of the parts that differ. */
  save(): { pieces: ZipPiece[]; parts: string[] } {
    for (const [name, { root, encoding }] of this.#trees) {
      if (root.isChanged !== true) continue
      this.#changes.set(name, encode(xmlText(root), encoding))
    }
    return { pieces: spliceZip(this.#zip, this.#directory, this.#changes), parts: [...this.#changes.keys()] }
  }

  /** Part names ignore case, but an exact match goes first. Entries keep the spelling of the archive. */
  #spelled(name: string): string {
    return this.#records.has(name) ? name : (this.#spellings.get(name.toLowerCase()) ?? name)
  }
}

export const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

export function relationshipsOf(part: string): string {
  return path.posix.join(path.posix.dirname(part), '_rels', `${path.posix.basename(part)}.rels`).replace(/^\.\//, '')
}

function resolveTarget(part: string, target: string): string {
  const folder = path.posix.dirname(`/${part}`)
  let plain = target.replaceAll('\\', '/')
  try {
    plain = decodeURI(plain)
  } catch {
    // A name with a stray percent sign is taken as it is.
  }
  return path.posix.resolve(folder, plain).slice(1)
}

type Encoding = 'utf-8' | 'utf-8-bom' | 'other'

function decode(bytes: Buffer): { text: string; encoding: Encoding } {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    return { text: bytes.toString('utf8', 3), encoding: 'utf-8-bom' }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: bytes.toString('utf16le', 2), encoding: 'other' }
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'other' }
  const named = /^<\?xml[^>]*encoding=["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1]?.toLowerCase()
  if (named === undefined || /^(utf-?8|us-ascii)$/.test(named))
    return { text: bytes.toString('utf8'), encoding: 'utf-8' }
  try {
    return { text: new TextDecoder(named).decode(bytes), encoding: 'other' }
  } catch {
    return { text: bytes.toString('utf8'), encoding: 'utf-8' }
  }
}

/** Changed parts are written as UTF-8, which every program reads. */
function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-8-bom') return Buffer.from(`\uFEFF${text}`)
  return Buffer.from(text.replace(/^(<\?xml[^>]*encoding=["'])[\w.-]+/, '$1UTF-8'))
}

/** Declares a prefix on the document element, so that new elements can use it. */
export function declarePrefix(root: Element, prefix: string, address: string): void {
  if (root.attributes[`xmlns:${prefix}`] !== undefined) return
  root.attributes[`xmlns:${prefix}`] = address
  root.isRetagged = true
  for (let each = root.parent; each !== undefined; each = each.parent) each.isChanged = true
}
