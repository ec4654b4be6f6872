/** A line of a text in units, without its ending. */
export interface TextLine {
  start: number
  text: string
  ending: '\n' | '\r\n' | '\r' | undefined
}

/** All lines of a text. What comes after the last line ending is a line too, even when it is empty. */
export function toLines(units: string): TextLine[] {
  const pieces = units.split('\n')
  let start = 0
  return pieces.map((piece, index) => {
    const isLast = index === pieces.length - 1
    const isCrlf = !isLast && piece.endsWith('\r')
    const line: TextLine = {
      start,
      text: isCrlf ? piece.slice(0, -1) : piece,
      ending: isLast ? undefined : isCrlf ? '\r\n' : '\n',
    }
    start += piece.length + 1
    return line
  })
}

/** The same where a carriage return alone ends a line, too. */
export function toLinesWithReturns(units: string): TextLine[] {
  return toLines(units).flatMap((line) => {
    const pieces = line.text.split('\r')
    let { start } = line
    return pieces.map((text, index): TextLine => {
      const made = { start, text, ending: index < pieces.length - 1 ? ('\r' as const) : line.ending }
      start += text.length + 1
      return made
    })
  })
}
