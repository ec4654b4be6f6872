import { closeSync, constants, lstatSync, openSync, readSync } from 'node:fs'
import type { z } from 'zod'
import { yieldToEventLoop } from '../breathe.ts'

const chunkBytes = 1 << 20
const newline = 0x0a

/**
 * The objects in a file of JSON lines, a later line of an id in the place of the earlier. Lines that cannot be taken
 * are reported by number; a last line that was cut off is told apart from a bad one.
 */
export async function readJsonLines<T extends { id: string }>(
  path: string,
  schema: z.ZodType<T>,
  problem: (problem: { file: string; line?: number; message: string }) => void,
): Promise<T[]> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  if (!stats.isFile()) {
    problem({ file: path, message: 'not a plain file; it was not read' })
    return []
  }
  const found = new Map<string, T>()
  let number = 0
  for (const { text, whole } of splitLines(path)) {
    await yieldToEventLoop()
    number++
    if (text.trim() === '') continue
    const value = parse(text)
    if (value === undefined) {
      problem({ file: path, line: number, message: whole ? 'not JSON' : 'the last line was cut off' })
      continue
    }
    const parsed = schema.safeParse(value)
    if (parsed.success) found.set(parsed.data.id, parsed.data)
    else problem({ file: path, line: number, message: complaint(parsed.error) })
  }
  return [...found.values()]
}

/** Split at newline bytes alone: other line separators are part of a JSON text. */
function* splitLines(path: string): Generator<{ text: string; whole: boolean }> {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let pieces: Buffer[] = []
    for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk)) {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1 && end < count; end = chunk.indexOf(newline, start)) {
        pieces.push(chunk.subarray(start, end))
        yield { text: Buffer.concat(pieces).toString('utf8'), whole: true }
        pieces = []
        start = end + 1
      }
      pieces.push(Buffer.from(chunk.subarray(start, count)))
    }
    const rest = Buffer.concat(pieces).toString('utf8')
    if (rest !== '') yield { text: rest, whole: false }
  } finally {
    closeSync(file)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function complaint(error: z.ZodError): string {
  const issue = error.issues[0]
  return issue ? `${issue.path.join('.') || 'line'}: ${issue.message}` : 'not of the expected shape'
}
