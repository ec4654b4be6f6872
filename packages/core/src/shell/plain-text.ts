/* oxlint-disable no-control-regex -- control characters are what this is about */

// Sequences that steer a terminal: strings (titles, links), then those with parameters, then the short ones.
const sequences =
  /(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** Text without what steers a terminal, for a reader that has none. Line ends, tabs and carriage returns stay. */
export function plainText(text: string): string {
  return text.replace(sequences, '').replace(controls, (character) => (character === '\0' ? '\ufffd' : ''))
}

/** What a terminal would show of it, line by line: what is written over is gone, as far as one line goes. */
export function screenText(text: string): string {
  return text
    .replace(sequences, '')
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => (line.includes('\r') || line.includes('\b') ? overwritten(line) : line))
    .join('\n')
    .replace(controls, '')
}

function overwritten(line: string): string {
  const cells: string[] = []
  let at = 0
  for (const character of line) {
    if (character === '\r') at = 0
    else if (character === '\b') at = Math.max(0, at - 1)
    else cells[at++] = character
  }
  return cells.join('').trimEnd()
}
