/* oxlint-disable no-control-regex -- control characters are what this is about */

/** Something in a line of output that can be opened. */
export interface FoundLink {
  text: string
  start: number
  open: { url: string } | { path: string; line: number | undefined }
}

const addresses = /https?:\/\/[^\s"'`<>{}|\\^\u0000-\u001f\u007f-\u009f]+/gi
// A path with a folder or an extension, then a line as compilers print it: `a/b.ts:3:5`, `b.ts(3,5)`, `"b.py", line 3`.
const files =
  /(?<![\w/.~@-])((?:~?\/|\.{1,2}\/)?(?:[\w@+.-]+\/)*[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,9})(?:"?, line (\d{1,7})|:(\d{1,7})(?::\d{1,7})?|\((\d{1,7})(?:,\d{1,7})?\))/g
const longestLine = 4000

/** Finds web addresses, and files with a line number. */
export function findLinks(line: string): FoundLink[] {
  const text = line.slice(0, longestLine)
  const found: FoundLink[] = []
  for (const match of text.matchAll(addresses)) {
    const shown = trimEnd(match[0])
    if (URL.canParse(shown)) found.push({ text: shown, start: match.index, open: { url: new URL(shown).href } })
  }
  const isTaken = (start: number, end: number): boolean =>
    found.some((link) => start < link.start + link.text.length && end > link.start)
  for (const match of text.matchAll(files)) {
    const [shown, path = '', ...numbers] = match
    if (isTaken(match.index, match.index + shown.length)) continue
    const line = Number(numbers.find((number) => number !== undefined))
    found.push({ text: shown, start: match.index, open: { path, line: Number.isFinite(line) ? line : undefined } })
  }
  return found.toSorted((a, b) => a.start - b.start)
}

const brackets = [
  ['(', ')'],
  ['[', ']'],
] as const

/** A sentence's punctuation after an address is not part of it, nor is a bracket that was opened before it. */
function trimEnd(address: string): string {
  let text = address.replace(/[.,;:!?]+$/, '')
  for (const [open, close] of brackets)
    while (text.endsWith(close) && text.split(open).length < text.split(close).length) text = text.slice(0, -1)
  return text.replace(/[.,;:!?]+$/, '')
}

/** The path from the open folder, if the shell printed it while it was in `folder`. Undefined if it is elsewhere. */
export function pathInFolder(path: string, folder: string | null): string | undefined {
  if (path.startsWith('/') || path.startsWith('~')) return path
  if (folder === null) return undefined
  const parts: string[] = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}
