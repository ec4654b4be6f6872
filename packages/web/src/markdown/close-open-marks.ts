import { mathAt } from './math-at.ts'

/**
 * What a reader should see of a block that is still being written: bold, italic, code and struck text that has begun is
 * closed, a link whose address has not arrived shows its text only. Works on one block outside of code fences.
 */
export function closeOpenMarks(text: string): string {
  const open: string[] = []
  let index = 0
  while (index < text.length) {
    const formula = '$\\'.includes(text[index] ?? ' ') ? mathAt(text.slice(index, index + 2000)) : undefined
    if (formula !== undefined) {
      index += formula.raw.length
      continue
    }
    const mark = /^(?:\\.|`+|\*{1,3}|~~|__?)/s.exec(text.slice(index, index + 80))?.[0]
    if (mark === undefined) {
      index++
      continue
    }
    if (mark.startsWith('`')) {
      const end = text.indexOf(mark, index + mark.length)
      if (end < 0) return text.slice(index + mark.length).trim() === '' ? text.slice(0, index) : text + mark
      index = end + mark.length
      continue
    }
    if (!mark.startsWith('\\')) toggle(open, mark, text, index)
    index += mark.length
  }
  return cutOpenLink(close(text, open))
}

function toggle(open: string[], mark: string, text: string, index: number): void {
  const before = text[index - 1] ?? ' '
  const after = text[index + mark.length] ?? ' '
  if (mark.startsWith('_') && /\w/.test(before) && /\w/.test(after)) return
  if (open.at(-1) === mark && !/\s/.test(before)) open.pop()
  else if (!/\s/.test(after) || index + mark.length === text.length) open.push(mark)
}

function close(text: string, open: string[]): string {
  let closed = text.trimEnd()
  if (open.length === 0) return text
  for (const mark of open.toReversed()) {
    // A mark with nothing behind it yet is not shown at all.
    if (closed.endsWith(mark)) closed = closed.slice(0, -mark.length).trimEnd()
    else closed += mark
  }
  return closed
}

/** `[text](http://…` without its end, and `[text` at the very end: only the text. */
function cutOpenLink(text: string): string {
  const link = /!?\[([^\][\n]*)\](?:\([^)\n]*)$/.exec(text)
  if (link !== null) return text.slice(0, link.index) + (link[1] ?? '')
  return text
}
