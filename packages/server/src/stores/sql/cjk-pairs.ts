/** Scripts whose words often have one or two characters. */
const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー'
const runs = new RegExp(`[${unspaced}]+`, 'gu')
const whole = new RegExp(`^[${unspaced}]+$`, 'u')

/**
 * Returns all pairs of adjacent characters in these scripts, plus the last character of each run, without duplicates.
 */
export function cjkPairs(text: string): string[] {
  const pairs = new Set<string>()
  for (const [run] of text.matchAll(runs)) {
    const characters = Array.from(run)
    for (const [i, character] of characters.entries()) pairs.add(character + (characters[i + 1] ?? ''))
  }
  return [...pairs]
}

/** True if a term has only characters of these scripts. */
export function isCjk(term: string): boolean {
  return whole.test(term)
}
