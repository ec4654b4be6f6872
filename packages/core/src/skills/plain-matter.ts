/** A text in YAML that is a text to everybody: it begins with a letter, and nothing in it means something else. */
const plainText = /^[A-Za-z](?:(?!: | #)[\x20-\x7e\u00a0-\ud7ff])*$/
const quoted = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e\u00a0-\ud7ff]*)"|'([\x20-\x26\x28-\x7e\u00a0-\ud7ff]*)')$/
const pair = /^( {2})?([A-Za-z][A-Za-z0-9_-]{0,63}):(?: +(\S.*?))? *$/
const notText = /^(?:true|false|null|yes|no|on|off|y|n)$|:$/i

/**
 * The front matter that nearly every file has, a hundred times as fast as YAML is parsed: lines of `key: text`, and one
 * level below a key without one. Undefined for everything else, which is left to a real parser.
 */
export function parsePlainMatter(
  matter: string,
): { data: Record<string, unknown>; lines: Map<string, number> } | undefined {
  const data: Record<string, unknown> = {}
  const lines = new Map<string, number>()
  let inner: Record<string, unknown> | undefined
  for (const [index, line] of matter.split('\n').entries()) {
    const match = pair.exec(line)
    if (match === null) return undefined
    const [, indented, key, given] = match as unknown as [string, string | undefined, string, string | undefined]
    const value = given === undefined ? undefined : readScalar(given)
    const target = indented === undefined ? data : inner
    if (notText.test(key)) return undefined
    if (target === undefined || key in target || (given !== undefined && value === undefined)) return undefined
    if (indented === undefined) {
      if (inner !== undefined && Object.keys(inner).length === 0) return undefined
      inner = value === undefined ? {} : undefined
      data[key] = value ?? inner
      lines.set(key, index + 1)
    } else if (value === undefined) return undefined
    else target[key] = value
  }
  return inner !== undefined && Object.keys(inner).length === 0 ? undefined : { data, lines }
}

function readScalar(given: string): string | undefined {
  if (plainText.test(given) && !notText.test(given)) return given
  const match = quoted.exec(given)
  return match === null ? undefined : (match[1] ?? match[2])
}
