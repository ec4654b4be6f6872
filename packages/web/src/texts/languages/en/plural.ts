/** In English: `1 line`, `2,345 lines`. */
export function pluralize(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`
}
