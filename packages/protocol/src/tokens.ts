/** Estimates the tokens of a text: about four characters each, or one in scripts without spaces. */
export function estimateTokens(text: string): number {
  let dense = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x2e80) dense++
  return Math.ceil(dense + (text.length - dense) / 4)
}
