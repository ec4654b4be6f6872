/** Whether a JSON text is nested deeper than a limit. Builds nothing, so it is safe on a text of brackets alone. */
export function isDeeper(text: string, limit: number): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limit) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      default:
    }
  }
  return false
}

/** Where the string that begins here ends: at the first quote with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    let before = end - 1
    while (text.charCodeAt(before) === 0x5c) before--
    if ((end - 1 - before) % 2 === 0) return end
  }
}
