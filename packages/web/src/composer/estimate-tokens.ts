/** About how many tokens a text has: four letters, or one sign of a script that writes words with few, make one. */
export function estimateTokens(text: string): number {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return Math.ceil(dense + (text.length - dense) / 4)
}
