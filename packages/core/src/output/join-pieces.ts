let seen = 0

/**
 * A string that was put together piece by piece stays a tree of its pieces, many times the size of its text, until
 * someone reads a letter of it: then the engine joins it.
 */
export function flattenString(text: string): string {
  if (text.length > 64) seen ^= text.charCodeAt(0)
  return text
}
