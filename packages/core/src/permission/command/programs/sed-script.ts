/**
 * Whether a script of sed only prints: addresses, blocks, labels, and what works on its two buffers. Not `w`, `r`, `e`,
 * nor the flags of `s` that write or run. A delimiter must not stand in brackets, where programs differ about it.
 */
export function isPlainSed(script: string): boolean {
  let rest = script
  for (;;) {
    rest = rest.replace(/^[\s;}]+/, '')
    if (rest === '') return true
    const next = sedCommand.exec(rest)
    if (next === null) return false
    rest = rest.slice(next[0].length)
  }
}

/** What stands between two delimiters: escapes, brackets without it, anything but it. */
const delimited = (delimiter: string): string =>
  String.raw`(?:\\[^\n]|\[\^?\]?[^\]\n\\${delimiter}]*\]|[^\[\\\n${delimiter}])*`

const address = String.raw`(?:\d+(?:~\d+)?|\$|/${delimited('/')}/I?)`
const addresses = String.raw`(?:${address}(?:,\s*(?:${address}|[+~]\d+))?\s*!?\s*)?`
const substitutions = ['/', String.raw`\|`, '#', ',', ':', '@', '%'].map(
  (mark) => `[sy]${mark}${delimited(mark)}${mark}${delimited(mark)}${mark}[gpiI0-9]*`,
)
const plainSedCommand = [
  String.raw`[pPdDnNgGhHxl=]`,
  String.raw`q\d*`,
  String.raw`[bt][ \t]*\w*`,
  ...substitutions,
].join('|')
const sedCommandEnd = String.raw`(?=\s*(?:[;\n}]|$))`
const sedCommand = new RegExp(
  String.raw`^(?:${addresses}(?:\{|(?:${plainSedCommand})${sedCommandEnd})|:\w+${sedCommandEnd})`,
)
