import { titleAndAuthor } from '../package/properties.ts'
import type { ZipPackage } from '../package/zip-package.ts'
import type { DocumentSource } from '../reader.ts'
import { withZipPackage } from '../package/zip-package.ts'
import { decodeXml } from '../text/decode.ts'
import { oneLine } from '../text/markdown.ts'
import { attribute, childNamed, descendants, parseXml, textOf, type XmlElement } from '../xml/parse-xml.ts'
import { noOdfFacts, odfText, type OdfContext } from './odf-text.ts'
import { readOdfStyles } from './odf-styles.ts'

export interface OdfDocument {
  /** `office:text` or `office:presentation`. */
  body: XmlElement
  styles: XmlElement | undefined
  context: OdfContext
  properties: string | undefined
  notes: (string | undefined)[]
}

const maxObjects = 100

/** Opens a zipped or flat OpenDocument file, and closes it after use. */
export async function withOdf<T>(source: DocumentSource, use: (document: OdfDocument) => T | Promise<T>): Promise<T> {
  const head = await source.bytesAt(0, 4)
  if (head.toString('latin1') !== 'PK\u0003\u0004') {
    const root = childNamed(parseXml(decodeXml(await source.bytes(64 * 2 ** 20))), 'document')
    if (root === undefined)
      throw new Error(`${source.name} is damaged: it has no document element. Ask for another copy.`)
    return use(odfDocument(root, root, root, new Map(), []))
  }
  return withZipPackage(source, async (parts) => {
    const manifest = (await parts.text('META-INF/manifest.xml')) ?? ''
    if (/<(?:\w+:)?encryption-data\b/.test(manifest))
      throw new Error(`${source.name} is encrypted with a password. Ask for a copy without a password.`)
    const content = childNamed(await parts.xml('content.xml'), 'document-content')
    if (content === undefined)
      throw new Error(`${source.name} is damaged: it has no content.xml. Ask for another copy.`)
    const styles = childNamed(await parts.xml('styles.xml'), 'document-styles')
    const meta = childNamed(await parts.xml('meta.xml'), 'document-meta')
    const scripts = parts.names.filter(
      (name) => /^(Basic|Scripts)\//.test(name) && !/(script|dialog)-l[bc]\.xml$/.test(name),
    )
    const notes =
      scripts.length === 0 ? [] : [`The document has macros: ${scripts.slice(0, 10).join(', ')}. They were not run.`]
    return use(odfDocument(content, styles, meta, await readObjects(parts), notes))
  })
}

function odfDocument(
  content: XmlElement,
  styles: XmlElement | undefined,
  meta: XmlElement | undefined,
  objects: ReadonlyMap<string, string>,
  notes: string[],
): OdfDocument {
  const outer = childNamed(content, 'body')
  const body = childNamed(outer, 'text') ?? childNamed(outer, 'presentation') ?? childNamed(outer, 'drawing')
  if (body === undefined) throw new Error('The document is damaged: it has no body. Ask for another copy.')
  const [title] = meta === undefined ? [] : descendants(meta, 'title')
  const [author] = meta === undefined ? [] : [...descendants(meta, 'initial-creator'), ...descendants(meta, 'creator')]
  return {
    body,
    styles,
    context: { styles: readOdfStyles([styles, content]), objects, seen: noOdfFacts() },
    properties: meta === content ? undefined : titleAndAuthor(title && textOf(title), author && textOf(author)),
    notes: [...notes, outsideNote(body)],
  }
}

/** Equations and charts are documents inside the document. */
async function readObjects(parts: ZipPackage): Promise<Map<string, string>> {
  const objects = new Map<string, string>()
  for (const name of parts.names) {
    const folder = /^(.*)\/content\.xml$/.exec(name)?.[1]
    if (folder === undefined || objects.size >= maxObjects) continue
    const root = await parts.xml(name)
    if (root === undefined) continue
    const [formula] = descendants(root, 'annotation')
    if (formula !== undefined) objects.set(folder, `$${oneLine(textOf(formula))}$`)
    else {
      const [chart] = descendants(root, 'chart')
      const tables = [...descendants(root, 'table')]
      const table = tables.find((each) => attribute(each, 'name') === 'local-table') ?? tables[0]
      if (table === undefined) continue
      const convert = odfText({ styles: readOdfStyles([]), objects: new Map(), seen: noOdfFacts() })
      const wrapper: XmlElement = { ...root, children: [table] }
      const lines = convert(wrapper).map(({ text }) => text)
      objects.set(folder, `[${chart === undefined ? 'embedded table' : 'chart'}]\n${lines.join('\n')}`)
    }
  }
  return objects
}

function outsideNote(body: XmlElement): string | undefined {
  const targets = new Set<string>()
  for (const local of ['image', 'object', 'section-source', 'dde-connection-decl', 'object-ole', 'plugin'])
    for (const node of descendants(body, local)) {
      const target = attribute(node, 'href') ?? attribute(node, 'dde-item') ?? ''
      if (/^(\w+:\/\/|\.\.\/|\/)|^file:/.test(target)) targets.add(target.slice(0, 200))
    }
  if (targets.size === 0) return undefined
  return `The document refers to files outside of it, which were not loaded: ${[...targets].slice(0, 5).join(', ')}.`
}
