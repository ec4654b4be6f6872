import { Buffer } from 'node:buffer'
import type { TextFormat } from './encoding.ts'
import { plainPunctuation } from './lookalikes.ts'
import { closestRun } from './near-miss.ts'
import type { PatchHunk } from './parse-patch.ts'
import { type Line, linesOf } from './text-lines.ts'
import { textUnits } from './text-units.ts'

/**
 * A file after the hunks of a patch. Each is found behind the one before it, with four passes: exactly, without blanks
 * at the end of lines, without blanks at both ends, with plain punctuation. Lines that stay keep their bytes; new ones
 * end as those they replace or follow. Throws an Error for the model that names the hunk.
 */
export function applyHunks(
  bytes: Buffer,
  format: TextFormat,
  hunks: readonly PatchHunk[],
): { bytes: Buffer; notes: string[] } {
  const file = textUnits(bytes, format)
  const lines = linesOf(file.units())
  const texts = linesOf(file.decode()).map(({ text }) => text)
  // What follows the last line ending is no line of its own.
  if (texts.at(-1) === '') {
    texts.pop()
    lines.pop()
  }
  const notes: string[] = []
  const removed = new Set<number>()
  /** New lines before the line with this number. */
  const added = new Map<number, Added[]>()
  /** New lines behind everything else. */
  const appended: Added[] = []
  let cursor = 0
  hunks.forEach((hunk, index) => {
    const name = `Hunk ${index + 1} (line ${hunk.line} of the patch)`
    const place = findPlace(texts, hunk, cursor, name)
    if (place.pass > 0) notes.push(`${name} matched only ${passes[place.pass]!.note}.`)
    let at = place.at
    let lastRemoved: number | undefined
    for (const { type, text } of place.lines) {
      if (type === 'add') {
        const line = { text: file.encode(text), like: lastRemoved ?? Math.max(0, at - 1) }
        if (place.isAppended) appended.push(line)
        else added.set(at, [...(added.get(at) ?? []), line])
        continue
      }
      if (type === 'remove') removed.add(at)
      lastRemoved = type === 'remove' ? at : undefined
      at++
    }
    // What is put at the end of the file leaves the rest of it to the hunks that follow.
    if (!place.isAppended) cursor = at
  })
  return {
    bytes: Buffer.concat([bytes.subarray(0, file.mark), file.toBytes(joined(lines, removed, added, appended))]),
    notes,
  }
}

const passes = [
  { note: 'exactly', key: (text: string) => text },
  { note: 'when blanks at line ends were ignored', key: (text: string) => text.trimEnd() },
  { note: 'when blanks at both ends of lines were ignored', key: (text: string) => text.trim() },
  {
    note: 'when typographic characters were taken for plain ones',
    key: (text: string) => plainPunctuation(text).trim(),
  },
]

interface Added {
  text: string
  /** The number of the line whose ending it takes. */
  like: number
}

interface Place {
  at: number
  pass: number
  lines: PatchHunk['lines']
  isAppended?: boolean
}

function findPlace(texts: readonly string[], hunk: PatchHunk, cursor: number, name: string): Place {
  let from = cursor
  for (const context of hunk.contexts) {
    const found = seek(texts, [context], from)
    if (found === undefined) throw new Error(`${name}: the line behind @@ is not in the file: "${context}".`)
    from = found.at + 1
  }
  const wanted = hunk.lines.filter(({ type }) => type !== 'add').map(({ text }) => text)
  if (wanted.length === 0) {
    if (hunk.contexts.length > 0 && !hunk.atEnd) return { at: from, pass: 0, lines: hunk.lines }
    return { at: texts.length, pass: 0, lines: hunk.lines, isAppended: true }
  }
  const found = hunk.atEnd ? seekEnd(texts, wanted, from) : seek(texts, wanted, from)
  if (found !== undefined) return { ...found, lines: hunk.lines }
  // A patch often has an empty line more than the file, before its next marker.
  const shorter = withoutLastEmpty(hunk.lines)
  if (shorter !== undefined) return findPlace(texts, { ...hunk, lines: shorter }, cursor, name)
  throw new Error(missText(texts, wanted, hunk, cursor, name))
}

function seek(
  texts: readonly string[],
  wanted: readonly string[],
  from: number,
): { at: number; pass: number } | undefined {
  for (const [pass, { key }] of passes.entries()) {
    const keys = wanted.map(key)
    for (let at = from; at + keys.length <= texts.length; at++) {
      if (keys.every((one, index) => key(texts[at + index]!) === one)) return { at, pass }
    }
  }
  return undefined
}

function seekEnd(
  texts: readonly string[],
  wanted: readonly string[],
  from: number,
): { at: number; pass: number } | undefined {
  const at = texts.length - wanted.length
  return at < from ? undefined : seek(texts, wanted, at)
}

function withoutLastEmpty(lines: PatchHunk['lines']): PatchHunk['lines'] | undefined {
  const last = lines.findLastIndex(({ type }) => type !== 'add')
  const isEmpty = last >= 0 && lines[last]?.text === '' && lines.slice(0, last).some(({ type }) => type !== 'add')
  return isEmpty ? lines.toSpliced(last, 1) : undefined
}

function missText(
  texts: readonly string[],
  wanted: readonly string[],
  hunk: PatchHunk,
  cursor: number,
  name: string,
): string {
  const earlier = cursor > 0 ? seek(texts, wanted, 0) : undefined
  if (hunk.atEnd && seek(texts, wanted, cursor) !== undefined) {
    return `${name}: its lines are in the file, but not at the end of it, as "*** End of File" says.`
  }
  if (earlier !== undefined) {
    return `${name}: its lines are at line ${earlier.at + 1}, before those of the hunk above it. Give hunks in the order of the file.`
  }
  const closest = closestRun(texts, wanted)
  const shown = wanted.slice(0, 6).join('\n')
  return `${name}: these lines are not in the file${cursor > 0 ? ' behind the hunk above' : ''}:\n${shown}\n${closest ?? 'Read the file again and copy them exactly.'}`
}

function joined(lines: readonly Line[], removed: Set<number>, added: Map<number, Added[]>, appended: Added[]): string {
  const usual = lines.find(({ ending }) => ending !== undefined)?.ending ?? '\n'
  let text = ''
  let open = false
  const put = (content: string, ending: Line['ending']): void => {
    if (open) text += usual
    text += content + (ending ?? '')
    open = ending === undefined
  }
  for (let index = 0; index <= lines.length; index++) {
    for (const { text: content, like } of added.get(index) ?? []) put(content, lines[like]?.ending ?? usual)
    const line = lines[index]
    if (line !== undefined && !removed.has(index)) put(line.text, line.ending)
  }
  for (const { text: content, like } of appended) put(content, lines[like]?.ending ?? usual)
  return text
}
