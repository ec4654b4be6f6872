/** A path as one line: names with line breaks or other control characters are shown as JSON strings. */
export function printablePath(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path
}

/** Where a search looked, in a sentence. */
export function printablePlace(shown: string): string {
  return shown === '.' ? 'the working directory' : printablePath(shown)
}

/** A whole number: `1234567` is `1,234,567`. Descriptions are made of it at the start, where Intl takes 15 ms to load. */
export function formatNumber(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

export function formatCount(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`
}
