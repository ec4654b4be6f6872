/** Reads what `declare -px` of bash prints: `declare -x NAME="value"`, with `$'…'` where a value has odd characters. */
export function parseExports(text: string): Record<string, string> {
  const exported: Record<string, string> = {}
  const line = /declare -([A-Za-z]+) ([A-Za-z_][A-Za-z0-9_]*)/y
  for (let at = 0; at < text.length;) {
    line.lastIndex = at
    const match = line.exec(text)
    if (match === null) {
      const next = text.indexOf('\n', at)
      if (next === -1) break
      at = next + 1
      continue
    }
    at = line.lastIndex
    const [, flags = '', name = ''] = match
    if (text[at] === '=') {
      const { value, end } = readValue(text, at + 1)
      at = end
      // Arrays cannot be passed on, whatever their flags say.
      if (value !== undefined && !/[aA]/.test(flags)) exported[name] = value
    }
    at = Math.max(at, text.indexOf('\n', at)) + 1
  }
  return exported
}

function readValue(text: string, at: number): { value: string | undefined; end: number } {
  if (text.startsWith("$'", at)) return readAnsi(text, at + 2)
  if (text[at] !== '"') return { value: undefined, end: at }
  let value = ''
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i] as string
    if (character === '"') return { value, end: i + 1 }
    if (character === '\\' && '\\"$`\n'.includes(text[i + 1] ?? ' ')) i++
    value += text[i]
  }
  return { value: undefined, end: text.length }
}

const escapes: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** `$'…'`: bytes may come as octal numbers, so the value is put together from bytes. */
function readAnsi(text: string, at: number): { value: string | undefined; end: number } {
  const pieces: Buffer[] = []
  for (let i = at; i < text.length; i++) {
    const character = text[i] as string
    if (character === "'") return { value: Buffer.concat(pieces).toString('utf8'), end: i + 1 }
    if (character !== '\\') {
      const end = endOfPlain(text, i)
      pieces.push(Buffer.from(text.slice(i, end)))
      i = end - 1
      continue
    }
    const octal = /^[0-7]{1,3}/.exec(text.slice(i + 1, i + 4))?.[0]
    if (octal !== undefined) {
      pieces.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]))
      i += octal.length
      continue
    }
    i++
    const escaped = text[i] ?? ''
    pieces.push(Buffer.from(escapes[escaped] ?? escaped))
  }
  return { value: undefined, end: text.length }
}

function endOfPlain(text: string, at: number): number {
  let end = at
  while (end < text.length && text[end] !== "'" && text[end] !== '\\') end++
  return end
}
