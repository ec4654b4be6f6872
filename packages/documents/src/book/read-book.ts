import path from 'node:path'
import { decodeHtml } from '../html/decode-html.ts'
import { htmlBlocks } from '../html/html-blocks.ts'
import { titleAndAuthor } from '../package/properties.ts'
import { resolvePart } from '../package/relationships.ts'
import type { ZipPackage } from '../package/zip-package.ts'
import { oneLine } from '../text/markdown.ts'
import type { PagedDocument } from '../text/pages.ts'
import { attribute, childNamed, childrenNamed, descendants, textOf, type XmlElement } from '../xml/parse-xml.ts'

/** Reads the order of the chapters of an EPUB now, and each chapter when it is asked for. */
export async function readBook(parts: ZipPackage): Promise<PagedDocument> {
  const container = await parts.xml('META-INF/container.xml')
  const [root] = container === undefined ? [] : descendants(container, 'rootfile')
  const file = resolvePart('', (root && attribute(root, 'full-path')) ?? 'content.opf')
  const book = childNamed(await parts.xml(file), 'package')
  if (book === undefined) throw new Error('The book is damaged: its list of chapters is missing. Ask for another copy.')
  const folder = path.posix.dirname(file)
  const items = new Map<string, XmlElement>()
  for (const item of descendants(book, 'item')) items.set(attribute(item, 'id') ?? '', item)
  const spine = childNamed(book, 'spine')
  const chapters = (spine === undefined ? [] : childrenNamed(spine, 'itemref')).flatMap((reference) => {
    const item = items.get(attribute(reference, 'idref') ?? '')
    const name = item === undefined ? '' : resolvePart(folder, attribute(item, 'href') ?? '')
    return parts.size(name) === undefined ? [] : [name]
  })
  const encrypted = await encryptedParts(parts)
  const titles = await chapterTitles(parts, folder, items, spine)
  const [title] = descendants(book, 'title')
  const [author] = descendants(book, 'creator')
  const locked = chapters.filter((name) => encrypted.has(name)).length
  return {
    unit: 'chapter',
    count: chapters.length,
    facts: [titleAndAuthor(title && textOf(title), author && textOf(author))],
    notes: [
      locked > 0 && `${locked} of ${chapters.length} chapters are encrypted (copy protection) and cannot be read.`,
    ],
    outline: chapters
      .slice(0, 300)
      .map((name, index) => `- [chapter ${index + 1}] ${titles.get(name) ?? ''}`.trimEnd()),
    async page(number) {
      const name = chapters[number - 1]!
      const head = `## [chapter ${number}] ${titles.get(name) ?? ''}`.trimEnd()
      if (encrypted.has(name)) return `${head}\n(encrypted)`
      const { blocks } = htmlBlocks(decodeHtml((await parts.bytes(name)) ?? Buffer.alloc(0)))
      const lines = blocks.map(({ text, heading }) =>
        heading === undefined ? text : `${'#'.repeat(Math.min(6, heading + 2))} ${text}`,
      )
      return [head, ...lines].join('\n')
    },
  }
}

/** Titles from the table of contents, in the new format or the old one. */
async function chapterTitles(
  parts: ZipPackage,
  folder: string,
  items: ReadonlyMap<string, XmlElement>,
  spine: XmlElement | undefined,
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  const add = (base: string, target: string, title: string): void => {
    const name = resolvePart(base, target)
    if (!titles.has(name) && title !== '') titles.set(name, title.slice(0, 200))
  }
  const navigation = [...items.values()].find((item) =>
    (attribute(item, 'properties') ?? '').split(' ').includes('nav'),
  )
  const old = items.get((spine && attribute(spine, 'toc')) ?? '')
  for (const item of [navigation, old]) {
    const name = item === undefined ? '' : resolvePart(folder, attribute(item, 'href') ?? '')
    const root = await parts.xml(name).catch(() => undefined)
    if (root === undefined) continue
    const base = path.posix.dirname(name)
    for (const link of descendants(root, 'a')) add(base, attribute(link, 'href') ?? '', oneLine(textOf(link)))
    for (const point of descendants(root, 'navPoint')) {
      const content = childNamed(point, 'content')
      const label = childNamed(point, 'navLabel')
      if (content !== undefined && label !== undefined)
        add(base, attribute(content, 'src') ?? '', oneLine(textOf(label)))
    }
  }
  return titles
}

async function encryptedParts(parts: ZipPackage): Promise<ReadonlySet<string>> {
  const root = await parts.xml('META-INF/encryption.xml').catch(() => undefined)
  const found = root === undefined ? [] : [...descendants(root, 'CipherReference')]
  return new Set(found.map((each) => resolvePart('', attribute(each, 'URI') ?? '')))
}
