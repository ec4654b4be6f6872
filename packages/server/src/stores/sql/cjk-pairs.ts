/** Scripts whose words are often of one or two characters. */
const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー'
const runs = new RegExp(`[${unspaced}]+`, 'gu')
const whole = new RegExp(`^[${unspaced}]+$`, 'u')

/** Every two neighbouring characters of these scripts, and the last of each stretch alone, each pair once. */
export function cjkPairs(text: string): string[] {
  const pairs = new Set<string>()
  for (const [run] of text.matchAll(runs)) {
    const characters = Array.from(run)
    for (const [i, character] of characters.entries()) pairs.add(character + (characters[i + 1] ?? ''))
  }
  return [...pairs]
}

/** Whether a term can be found by pairs alone: one or two characters of these scripts. */
export function isCjkPair(term: string): boolean {
  return Array.from(term).length <= 2 && whole.test(term)
}
