import type { ZipPackage } from '../package/zip-package.ts'
import { oneLine } from '../text/markdown.ts'
import { attribute, descendants, textOf } from '../xml/parse-xml.ts'

/** The texts of a SmartArt diagram as list items. */
export async function diagramLines(parts: ZipPackage, part: string): Promise<string[]> {
  const root = await parts.xml(part)
  if (root === undefined) return []
  const lines: string[] = []
  for (const point of descendants(root, 'pt')) {
    if (['parTrans', 'sibTrans', 'pres'].includes(attribute(point, 'type') ?? '')) continue
    const text = oneLine(
      [...descendants(point, 'p')].map((each) => [...descendants(each, 't')].map(textOf).join('')).join(' '),
    )
    if (text !== '') lines.push(`- ${text}`)
  }
  return lines.length === 0 ? [] : ['[diagram]', ...lines]
}
