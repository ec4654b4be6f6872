/**
 * Whether a script of sed only prints: addresses, and `p`, `d`, `q`, `=`, `s` and `y`. Not `w`, `r`, `e`, nor the flags
 * of `s` that write or run. A delimiter must not stand in brackets, where programs differ about what it means.
 */
export function isPlainSed(script: string): boolean {
  let rest = script
  for (let steps = 0; rest !== '' && steps < 100; steps++) {
    const next = plainCommand.exec(rest)
    if (next === null) return false
    rest = rest.slice(next[0].length)
  }
  return rest === ''
}

/** What stands between two slashes, or between other delimiters: escapes, brackets without it, anything but it. */
const between = (delimiter: string): string =>
  String.raw`(?:\\[^\n]|\[\^?\]?[^\]\n\\${delimiter}]*\]|[^\[\\\n${delimiter}])*`
const address = String.raw`(?:\d+(?:~\d+)?|\$|/${between('/')}/I?)`
const addresses = String.raw`(?:${address}(?:,\s*(?:${address}|[+~]\d+))?\s*!?\s*)?`
const substitution = ['/', '|', '#', ',', ':', '@', '%']
  .map((mark) => {
    const escaped = mark === '|' ? String.raw`\|` : mark
    return `[sy]${escaped}${between(mark)}${escaped}${between(mark)}${escaped}[gpiI0-9]*`
  })
  .join('|')
const plainCommand = new RegExp(String.raw`^[\s;]*(?:${addresses}(?:[pdq=]|q\d+|${substitution}))?\s*(?:[;\n]\s*|$)`)
