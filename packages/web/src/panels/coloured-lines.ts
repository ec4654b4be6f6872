/** A stretch of one line in one colour. */
export interface ColoredSpan {
  text: string
  look: string
}

/** The words of a highlighted text, line by line. */
export function coloredLines(fragment: ParentNode & Node): ColoredSpan[][] {
  const lines: ColoredSpan[][] = [[]]
  walk(fragment, '')
  return lines

  function walk(node: Node, look: string): void {
    for (const child of node.childNodes) {
      if (child instanceof Element) walk(child, child.className)
      else add(child.textContent ?? '', look)
    }
  }

  function add(text: string, look: string): void {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (piece !== '') lines.at(-1)?.push({ text: piece, look })
    }
  }
}
