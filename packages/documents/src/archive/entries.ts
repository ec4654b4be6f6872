import type { DocumentPart } from '@troupe/core'
import { type DocumentReading, maxCharacters } from '../reader.ts'
import { shownName } from '../text/markdown.ts'
import { checkParts, countOf, sizeOf } from '../text/parts.ts'

export interface ArchiveEntry {
  name: string
  size: number
  isEncrypted?: boolean
  /** Target of a link. */
  link?: string | undefined
}

const nested = /\.(zip|jar|war|tar|tgz|gz|bz2|xz|zst|7z|rar|docx|xlsx|pptx|odt|epub)$/i

/** The entries of an archive as a tree. Nothing is unpacked, so a name can do no harm; it is shown escaped. */
export function answerEntries(
  entries: readonly ArchiveEntry[],
  part: DocumentPart,
  title: string,
  notes: readonly string[] = [],
): DocumentReading {
  checkParts(part, title, ['offset', 'limit'], 'Use "offset" and "limit", which count entries.')
  const { offset = 1, limit = Infinity } = part
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  const facts = `${countOf(entries.length, 'file')}, ${sizeOf(total)} unpacked`
  if (offset > 1 && offset > entries.length)
    throw new Error(`The archive has ${countOf(entries.length, 'file')}; there is none at offset ${offset}.`)
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const lines: string[] = []
  let folders: readonly string[] = []
  let characters = 0
  let at = offset - 1
  for (; at < sorted.length && at < offset - 1 + limit; at++) {
    const entry = sorted[at]!
    const names = entry.name.split('/')
    const file = names.pop()!
    const own = linesOf(names, folders, file, entry)
    const length = own.reduce((sum, line) => sum + line.length + 1, 0)
    if (characters > 0 && characters + length > maxCharacters) break
    characters += length
    lines.push(...own)
    folders = names
  }
  return {
    facts,
    text: lines.join('\n'),
    next: at < sorted.length ? { offset: at + 1 } : undefined,
    notes: [...notes, ...warnings(sorted)],
  }
}

const maxIndent = 20

/** The line of a file, after those of its folders that the line before it is not in. */
function linesOf(names: readonly string[], folders: readonly string[], file: string, entry: ArchiveEntry): string[] {
  let same = 0
  while (same < names.length && names[same] === folders[same]) same++
  // A name of a thousand folders would make a picture of stairs.
  if (names.length > maxIndent) return [`- ${shownName(entry.name)} (${sizeOf(entry.size)})`]
  const opened = names.slice(same).map((name, index) => `${'  '.repeat(same + index)}- ${shownName(name)}/`)
  const about = [
    entry.link === undefined ? sizeOf(entry.size) : `link to ${shownName(entry.link)}`,
    entry.isEncrypted === true && 'encrypted',
    nested.test(file) && 'an archive or document',
  ].filter((fact) => fact !== false)
  return [...opened, `${'  '.repeat(names.length)}- ${shownName(file)} (${about.join(', ')})`]
}

function warnings(entries: readonly ArchiveEntry[]): string[] {
  const escaping = entries.filter(({ name }) => /^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(name))
  const encrypted = entries.filter(({ isEncrypted }) => isEncrypted === true)
  const seen = new Set<string>()
  const twice = entries.filter(({ name }) => seen.size === seen.add(name).size)
  return [
    escaping.length > 0 &&
      `${countOf(escaping.length, 'name leads', 'names lead')} out of the folder the archive is unpacked in, such as ${shownName(escaping[0]!.name)}. Unpack with care.`,
    encrypted.length > 0 && `${countOf(encrypted.length, 'file is', 'files are')} encrypted.`,
    twice.length > 0 && `${countOf(twice.length, 'name appears', 'names appear')} more than once.`,
  ].filter((note) => note !== false)
}
