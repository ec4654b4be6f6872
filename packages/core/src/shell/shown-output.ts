import { createSpillWriter, type SpillContext, type SpillWriter } from './spill-writer.ts'

/** The output of a command as far as it is shown, and where the whole is. */
export interface ShownOutput {
  /** Head and tail, with a line between them that says what is missing and where it is. */
  text: string
  spilled?: { path: string; length: number }
}

/** Takes what a command prints: keeps what fits, else its two ends in memory and all of it in a file. */
export interface OutputCollector {
  add(text: string): Promise<void> | void
  end(): Promise<ShownOutput>
}

const shownCharacters = 30_000
const endCharacters = shownCharacters / 2

export function createOutputCollector(ctx: SpillContext, name: string): OutputCollector {
  let whole = ''
  let length = 0
  let head = ''
  let tail = ''
  let writer: SpillWriter | undefined
  return {
    add(text) {
      length += text.length
      if (writer !== undefined) {
        tail = lastOf(tail + text)
        return writer.add(text)
      }
      whole += text
      if (length <= shownCharacters) return undefined
      head = whole.slice(0, endCharacters)
      if (endsInHalf(head)) head = head.slice(0, -1)
      tail = lastOf(whole)
      writer = createSpillWriter(ctx, name)
      const first = whole
      whole = ''
      return writer.add(first)
    },
    async end() {
      if (writer === undefined) return { text: whole }
      await writer.end()
      const { path, note } = writer
      const left = length - head.length - tail.length
      const where =
        path === undefined ? '' : ` All ${length} characters are in ${path}: use Read with offset and limit, or Grep.`
      const kept = note === undefined ? where : `${path === undefined ? '' : ` See ${path}.`} ${note}`
      return {
        text: `${head}\n... [${left} characters left out here.${kept}] ...\n${tail}`,
        ...(path !== undefined && note === undefined && { spilled: { path, length } }),
      }
    },
  }
}

function lastOf(text: string): string {
  const end = text.slice(-endCharacters)
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end
}

function endsInHalf(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text)
}
