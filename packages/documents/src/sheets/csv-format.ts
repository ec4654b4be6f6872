/** Dialect of a table of separated values. */
export interface CsvFormat {
  encoding: string
  /** Bytes of the byte order mark. */
  skip: number
  delimiter: string
  /** The first row looks like names of columns. */
  hasHeader: boolean
}

/** Recognizes encoding, delimiter and header by the start of a file. */
export function detectCsv(head: Buffer, extension: string): CsvFormat {
  const { encoding, skip } = detectEncoding(head)
  const text = new TextDecoder(encoding).decode(head.subarray(skip))
  const delimiter = detectDelimiter(text, extension)
  return { encoding, skip, delimiter, hasHeader: looksLikeHeader(text, delimiter) }
}

function detectEncoding(head: Buffer): { encoding: string; skip: number } {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', skip: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', skip: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', skip: 2 }
  if (decodes(head, 'utf-8') !== undefined) return { encoding: 'utf-8', skip: 0 }
  // Excel in China saves GBK. Other 8-bit text decodes as GBK, too, but into rare characters.
  const chinese = decodes(head, 'gb18030')
  const letters = chinese?.match(/[^\0-\x7f]/g) ?? []
  const common = letters.filter((letter) => /[\u4e00-\u9fa5，。：；（）、]/.test(letter))
  if (letters.length > 0 && common.length / letters.length > 0.9) return { encoding: 'gb18030', skip: 0 }
  return { encoding: 'windows-1252', skip: 0 }
}

function decodes(head: Buffer, encoding: string): string | undefined {
  try {
    // `stream` allows for a character that is cut at the end.
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}

function detectDelimiter(text: string, extension: string): string {
  if (extension === 'tsv' || extension === 'tab') return '\t'
  const declared = /^sep=(.)\r?\n/i.exec(text)?.[1]
  if (declared !== undefined) return declared
  const lines = text
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line !== '')
    .slice(0, 100)
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of [',', ';', '\t', '|']) {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0
    const same = counts.filter((count) => count === usual).length / Math.max(1, counts.length)
    const score = usual === 0 ? 0 : same + Math.min(usual, 20) / 1000
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

function looksLikeHeader(text: string, delimiter: string): boolean {
  const [first = '', second = ''] = text.split(/\r\n|\r|\n/, 2)
  const isNumber = (cell: string): boolean => /^"?[-+]?[\d.,]+%?"?$/.test(cell.trim())
  const names = first.split(delimiter)
  if (names.some((name) => name.trim() === '' || isNumber(name))) return false
  return (
    new Set(names).size === names.length &&
    (second === '' || second.split(delimiter).some(isNumber) || names.length > 1)
  )
}
