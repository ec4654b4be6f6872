import type { ZipPackage } from '../package/zip-package.ts'
import { oneLine } from '../text/markdown.ts'
import { attribute, childNamed, descendants, localName, textOf, type XmlElement } from '../xml/parse-xml.ts'

/** Names of the people who commented, by ID, in the old and the new format. */
export async function commentAuthors(parts: ZipPackage, folder: string): Promise<ReadonlyMap<string, string>> {
  const authors = new Map<string, string>()
  for (const [file, local] of [
    ['commentAuthors.xml', 'cmAuthor'],
    ['authors.xml', 'author'],
  ] as const) {
    const root = await parts.xml(`${folder}/${file}`)
    for (const each of root === undefined ? [] : descendants(root, local))
      authors.set(attribute(each, 'id') ?? '', oneLine(attribute(each, 'name') ?? ''))
  }
  return authors
}

/** Comments of a slide as lines, replies after what they answer. */
export async function commentLines(
  parts: ZipPackage,
  part: string,
  authors: ReadonlyMap<string, string>,
): Promise<string[]> {
  const root = await parts.xml(part)
  return root === undefined ? [] : [...commentsIn(root)].map((node) => commentLine(node, authors))
}

function* commentsIn(parent: XmlElement): Generator<XmlElement> {
  for (const child of parent.children) {
    if (child.name === undefined) continue
    if (['cm', 'reply'].includes(localName(child.name))) yield child
    yield* commentsIn(child)
  }
}

function commentLine(node: XmlElement, authors: ReadonlyMap<string, string>): string {
  const body = childNamed(node, 'text') ?? childNamed(node, 'txBody')
  const text =
    body === undefined
      ? ''
      : oneLine(localName(body.name) === 'text' ? textOf(body) : [...descendants(body, 't')].map(textOf).join(' '))
  const author = authors.get(attribute(node, 'authorId') ?? '') || 'unknown'
  const date = (attribute(node, 'dt') ?? attribute(node, 'created'))?.slice(0, 10)
  const kind = localName(node.name) === 'reply' ? 'reply' : 'comment'
  return `[${kind} by ${author}${date === undefined ? '' : `, ${date}`}: ${text}]`
}
