import { readdirSync, readFileSync, type Stats } from 'node:fs'
import type { DataParts } from '../protocol/data-parts.ts'
import type { Mention } from './mentions-in.ts'

const maxFileBytes = 20 * 1024 * 1024
const maxEntries = 300

/** A file or folder that may be read, as a part of a message: at most so many characters of it. */
export function readMention(
  { name, from, to }: Mention,
  found: { path: string; stats: Stats },
  most: number,
): DataParts['mention'] {
  if (found.stats.isDirectory()) return { kind: 'folder', name, path: name, content: listing(found.path) }
  const refused = (content: string): DataParts['mention'] => ({ kind: 'refused', name, content })
  if (!found.stats.isFile()) return refused(`${name} is neither a file nor a folder.`)
  if (found.stats.size > maxFileBytes) return refused(`${name} is too large to bring in whole. Read the part you need.`)
  const bytes = readFileSync(found.path)
  if (bytes.subarray(0, 8192).includes(0)) return refused(`${name} is not a text. Read it with a tool, or attach it.`)
  const lines = bytes.toString('utf8').split('\n')
  const part = from === undefined ? lines : lines.slice(Math.max(0, from - 1), to)
  if (part.length === 0) return refused(`${name} has ${lines.length} lines, none of them from ${from} to ${to}.`)
  const whole = part.join('\n')
  const content = truncate(whole, most)
  const isCut = content.length < whole.length
  const note = isCut
    ? `\n[… cut here: ${whole.length - content.length} characters more. Read the rest where needed.]`
    : ''
  return {
    kind: 'file',
    name,
    path: name,
    ...(from !== undefined && { lines: `${from}-${Math.min(to ?? from, lines.length)}` }),
    content: content + note,
  }
}

/** At the end of a line where there is one. */
function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.lastIndexOf('\n', most)
  return text.slice(0, end > most / 2 ? end : most).toWellFormed()
}

function listing(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .filter((name) => name !== '.git/')
    .toSorted()
  const left = entries.length - maxEntries
  return [...entries.slice(0, maxEntries), ...(left > 0 ? [`[… ${left} more]`] : [])].join('\n') || '[empty]'
}
