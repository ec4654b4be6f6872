import type { Part } from '@troupe/core'
import { list, record, text, type Loose } from './loose.ts'
import { isWebAddress } from './parts.ts'

/** Marks of sources and widgets in a text: between U+E200 and U+E201, their fields split by U+E202. */
const citationMarks = /\s?\ue200([^\ue200\ue201]*)\ue201/g
const citationBrackets = /\s?【\d{1,6}(?::\d{1,6})?†[^【】]{0,300}】/g

/** The text as the person saw it: what a mark stands for in words stays, the marks go. */
export function cleanCitations(given: string, metadata: Loose): string {
  let clean = given
  for (const reference of list(metadata['content_references'])) {
    const { matched_text: mark, alt } = record(reference)
    if (text(mark).includes('\ue200') && text(alt) !== '') clean = clean.replaceAll(text(mark), () => text(alt))
  }
  return clean
    .replace(citationMarks, (whole, inside: string) => {
      const words = markText(inside)
      return words === '' ? '' : (whole.startsWith('\ue200') ? '' : whole.charAt(0)) + words
    })
    .replace(citationBrackets, '')
    .replace(/[\ue200-\ue206]/g, '')
}

/** A link shows its title, a thing its name; a citation shows nothing. */
function markText(inside: string): string {
  const [kind, ...fields] = inside.split('\ue202')
  if (kind === 'url' || kind === 'link_title') return fields[0] ?? ''
  if (kind !== 'entity') return ''
  try {
    return text(list(JSON.parse(fields[0] ?? ''))[1])
  } catch {
    return ''
  }
}

/** The pages that an answer names, each once. */
export function citedSources(metadata: Loose): Part[] {
  const found = new Map<string, string>()
  const take = (value: unknown): void => {
    const { url, title, items, sources, metadata: inner } = record(value)
    if (isWebAddress(text(url)) && !found.has(text(url))) found.set(text(url), text(title))
    for (const one of [...list(items), ...list(sources), ...(inner === undefined ? [] : [inner])]) take(one)
  }
  for (const one of [...list(metadata['content_references']), ...list(metadata['citations'])]) take(one)
  return [...found].slice(0, 100).map(([url, title], index) => ({
    type: 'source-url',
    sourceId: `source-${index}`,
    url,
    ...(title !== '' && { title }),
  }))
}
