/**
 * The value of a JSON text that may end anywhere, for showing a tool's input while it streams. What is incomplete is
 * closed where it stands: a string ends, a word that has begun is that word, a number is what its digits say so far,
 * a key without a value is left out. Never use it to decide what to execute.
 *
 * Undefined when there is nothing yet, or when the text is not JSON. Linear in the text, at any depth.
 */
export function parsePartialJson(text: string): unknown {
  return parse(text) ?? parse(closeOpenJson(text))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text up to its last whole value or opening bracket, with everything closed that is open there. */
function closeOpenJson(text: string): string {
  const closers: string[] = []
  let sound = 0
  let keyComes = false
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') {
      const { end, closed } = scanString(text, at)
      if (!closed) return keyComes ? close(text.slice(0, sound)) : close(`${text.slice(0, end)}"`)
      at = end
      if (!keyComes) sound = at
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']')
      keyComes = char === '{'
      sound = ++at
    } else if (char === '}' || char === ']') {
      closers.pop()
      sound = ++at
    } else if (char === ',' || char === ':') {
      keyComes = char === ',' && closers.at(-1) === '}'
      at++
    } else if (isSpace(char)) at++
    else {
      const end = endOfWord(text, at)
      if (end === text.length) return close(text.slice(0, sound) + completeLastWord(text, sound, at))
      sound = at = end
    }
  }
  return close(text.slice(0, sound))

  function close(head: string): string {
    return head + closers.reverse().join('')
  }
}

/** Where a string ends: behind its closing quote, or before an escape that is not whole. */
function scanString(text: string, start: number): { end: number; closed: boolean } {
  let at = start + 1
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') return { end: at + 1, closed: true }
    const length = char !== '\\' ? 1 : text.charAt(at + 1) === 'u' ? 6 : 2
    if (at + length > text.length) return { end: at, closed: false }
    at += length
  }
  return { end: at, closed: false }
}

function endOfWord(text: string, start: number): number {
  let at = start
  while (at < text.length && !isSpace(text.charAt(at)) && !'"{}[],:'.includes(text.charAt(at))) at++
  return at
}

/** A number or word at the very end, with what stands before it, as far as it says something. */
function completeLastWord(text: string, sound: number, start: number): string {
  const word = text.slice(start)
  const whole = ['true', 'false', 'null'].find((known) => known.startsWith(word))
  const value = whole ?? /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(word)?.[0]
  return value === undefined ? '' : text.slice(sound, start) + value
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t'
}
