/**
 * Whether a script of sed only prints: addresses, blocks, labels, and what works on its two buffers. Not `w`, `r`, `e`,
 * nor the flags of `s` that write or run. A delimiter must not stand in brackets, where programs differ about it.
 */
export function isPlainSed(script: string): boolean {
  let rest = script
  for (;;) {
    rest = rest.replace(/^[\s;}]+/, '')
    if (rest === '') return true
    const next = command.exec(rest)
    if (next === null) return false
    rest = rest.slice(next[0].length)
  }
}

/** What stands between two delimiters: escapes, brackets without it, anything but it. */
const between = (delimiter: string): string =>
  String.raw`(?:\\[^\n]|\[\^?\]?[^\]\n\\${delimiter}]*\]|[^\[\\\n${delimiter}])*`

const address = String.raw`(?:\d+(?:~\d+)?|\$|/${between('/')}/I?)`
const addresses = String.raw`(?:${address}(?:,\s*(?:${address}|[+~]\d+))?\s*!?\s*)?`
const substitutions = ['/', String.raw`\|`, '#', ',', ':', '@', '%'].map(
  (mark) => `[sy]${mark}${between(mark)}${mark}${between(mark)}${mark}[gpiI0-9]*`,
)
const plain = [String.raw`[pPdDnNgGhHxl=]`, String.raw`q\d*`, String.raw`[bt][ \t]*\w*`, ...substitutions].join('|')
const end = String.raw`(?=\s*(?:[;\n}]|$))`
const command = new RegExp(String.raw`^(?:${addresses}(?:\{|(?:${plain})${end})|:\w+${end})`)
