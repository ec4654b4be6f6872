import { oneLine } from '../text/markdown.ts'
import { childNamed, descendants, textOf } from '../xml/parse-xml.ts'
import type { ZipPackage } from './zip-package.ts'

/** Title and author as facts: `"Plan" by Ann Lee`. Undefined if the document has neither. */
export async function officeProperties(parts: ZipPackage): Promise<string | undefined> {
  const root = await parts.xml('docProps/core.xml').catch(() => undefined)
  const properties = root === undefined ? undefined : (childNamed(root, 'coreProperties') ?? root)
  if (properties === undefined) return undefined
  const [title] = descendants(properties, 'title')
  const [author] = descendants(properties, 'creator')
  return titleAndAuthor(title && textOf(title), author && textOf(author))
}

export function titleAndAuthor(title: string | undefined, author: string | undefined): string | undefined {
  const named = oneLine(title ?? '').slice(0, 200)
  const by = oneLine(author ?? '').slice(0, 100)
  const facts = [named !== '' && `"${named}"`, by !== '' && `by ${by}`].filter((fact) => fact !== false)
  return facts.length === 0 ? undefined : facts.join(' ')
}
