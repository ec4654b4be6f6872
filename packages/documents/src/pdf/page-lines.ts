import type { Box } from './geometry.ts'
import type { Run } from './run.ts'

/** Part of a line without a wide gap: a line of a column, or a cell of a table. */
export interface Segment extends Box {
  text: string
  baseline: number
  size: number
  bold: boolean
}

/** Joins the runs of one direction into segments, from the top. */
export function joinRuns(runs: readonly Run[]): Segment[] {
  const segments: Segment[] = []
  for (const line of groupLines(runs)) {
    line.sort((a, b) => a.x0 - b.x0 || a.order - b.order)
    for (const part of splitLine(dropDoubles(line))) segments.push(toSegment(part))
  }
  return segments
}

interface Line {
  runs: Run[]
  baseline: number
  size: number
}

/** Super- and subscripts belong to the line that they touch. */
function groupLines(runs: readonly Run[]): Run[][] {
  const lines: Line[] = []
  for (const run of runs.toSorted((a, b) => a.baseline - b.baseline || a.x0 - b.x0)) {
    // Runs come sorted by baseline, so only the last lines can match.
    const found = lines.slice(-4).findLast(({ baseline, size }) => {
      return Math.abs(run.baseline - baseline) < Math.min(run.size, size) * 0.3
    })
    if (found === undefined) lines.push({ runs: [run], baseline: run.baseline, size: run.size })
    else {
      found.runs.push(run)
      if (run.size > found.size * 1.2) {
        found.size = run.size
        found.baseline = run.baseline
      }
    }
  }
  for (const [index, line] of lines.entries()) moveScripts(line, lines.slice(Math.max(0, index - 3), index + 4))
  return lines.filter((line) => line.runs.length > 0).map((line) => line.runs)
}

function moveScripts(line: Line, near: readonly Line[]): void {
  const larger = near.filter(({ size, baseline }) => {
    return line.size < size * 0.85 && Math.abs(baseline - line.baseline) < size * 0.6
  })
  if (larger.length === 0) return
  line.runs = line.runs.filter((run) => {
    const home = larger.find((other) => touches(other, run))
    home?.runs.push(run)
    return home === undefined
  })
}

function touches({ runs, size }: Line, script: Run): boolean {
  const reach = size * 0.3
  return runs.some((run) => run.size > script.size && run.x0 - reach < script.x1 && run.x1 + reach > script.x0)
}

/** Bold text is sometimes drawn twice with a small shift. */
function dropDoubles(line: Run[]): Run[] {
  return line.filter((run, index) => {
    for (let before = index - 1; before >= Math.max(0, index - 4); before--) {
      const other = line[before] as Run
      if (
        run.text === other.text &&
        run.x0 - other.x0 < run.size * 0.15 &&
        Math.abs(run.x1 - other.x1) < run.size * 0.2
      )
        return false
    }
    return true
  })
}

/** Splits at gaps. A smaller one is enough if the document does not draw the two runs one after the other. */
function splitLine(line: readonly Run[]): Run[][] {
  const parts: Run[][] = []
  let part: Run[] = []
  let end = -Infinity
  for (const run of line) {
    const last = part.at(-1)
    if (last !== undefined) {
      const gap = run.x0 - end
      const size = Math.max(run.size, last.size)
      const isNext = Math.abs(run.order - last.order) <= 2
      if (gap > size * (isNext ? 1.6 : 0.9)) {
        parts.push(part)
        part = []
        end = -Infinity
      }
    }
    part.push(run)
    end = Math.max(end, run.x1)
  }
  if (part.length > 0) parts.push(part)
  return parts
}

function toSegment(part: readonly Run[]): Segment {
  const words: string[] = []
  let size = 0
  let most = 0
  let bold = 0
  let letters = 0
  let baseline = 0
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity }
  for (const [index, run] of part.entries()) {
    const before = part[index - 1]
    const text = cleanText(run.text)
    const isJoined = before !== undefined && !isGap(before, run)
    if (isJoined) words[words.length - 1] += text
    else words.push(text)
    box.x0 = Math.min(box.x0, run.x0)
    box.y0 = Math.min(box.y0, run.y0)
    box.x1 = Math.max(box.x1, run.x1)
    box.y1 = Math.max(box.y1, run.y1)
    letters += text.length
    if (run.bold) bold += text.length
    if (text.length >= most) {
      most = text.length
      size = run.size
      baseline = run.baseline
    }
  }
  return { ...box, text: inReadingOrder(words), baseline, size, bold: bold * 2 > letters }
}

function isGap(before: Run, run: Run): boolean {
  const gap = run.x0 - before.x1
  const size = Math.min(before.size, run.size)
  if (gap > size * 0.1) return true
  // Texts drawn over each other are not one word, but accents are.
  if (gap < -size * 0.5 && !/^\p{M}/u.test(run.text) && run.x1 - run.x0 > size * 0.2) return true
  const isRightToLeft = rightToLeft.test(run.text) || rightToLeft.test(before.text)
  const earlier = isRightToLeft && run.order < before.order ? run : before
  return earlier.space && Math.abs(run.order - before.order) === 1 && gap > -size * 0.5
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/

/** Glyphs come from left to right. Hebrew and Arabic read the other way, except for numbers and Latin words. */
function inReadingOrder(words: string[]): string {
  if (!words.some((word) => rightToLeft.test(word))) return words.join(' ')
  const turned = words.map((word) => (rightToLeft.test(word) ? turnWord(word) : word))
  const isMostly = words.filter((word) => rightToLeft.test(word)).length * 2 >= words.length
  const runs: string[][] = []
  let direction: boolean | undefined
  for (const [index, word] of turned.entries()) {
    const isRight = rightToLeft.test(words[index] ?? '') || (isMostly && !/[\p{L}\p{N}]/u.test(word))
    if (isRight !== direction || runs.length === 0) runs.push([])
    runs.at(-1)?.push(word)
    direction = isRight
  }
  const ordered = runs.map((run) => (rightToLeft.test(run.join('')) ? run.toReversed() : run))
  return (isMostly ? ordered.toReversed() : ordered).flat().join(' ')
}

/** Reverses a word, keeping marks after their letter and numbers as they are. */
function turnWord(word: string): string {
  const pieces = word.match(/[\p{N}.,:/%A-Za-z]*[\p{N}A-Za-z]|\P{M}\p{M}*|\p{M}+/gsu) ?? [word]
  return pieces.toReversed().map(mirrored).join('')
}

const mirrors: Record<string, string> = { '(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{' }

function mirrored(piece: string): string {
  return mirrors[piece] ?? piece
}

/** Ligatures and presentation forms become letters. Characters without a glyph of their own are dropped. */
function cleanText(text: string): string {
  if (/^[!-~]*$/.test(text)) return text
  return text
    .replace(/[\p{Cc}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '')
    .replace(/[\uf730-\uf739\uf761-\uf77a]/g, plainVariant)
    .replace(/[\ufb00-\ufb06\ufb13-\ufb17]/g, (ligature) => ligature.normalize('NFKC'))
    .replace(/[\ufb1d-\ufdff\ufe70-\ufefc]+/g, (forms) =>
      Array.from(forms, (form) => form.normalize('NFKC').split('').toReversed().join('')).join(''),
    )
}

/** Old-style figures and small capitals, as Adobe's glyph names map them to the private use area. */
function plainVariant(character: string): string {
  const code = character.charCodeAt(0)
  return String.fromCharCode(code - (code < 0xf761 ? 0xf700 : 0xf761 - 0x41))
}
