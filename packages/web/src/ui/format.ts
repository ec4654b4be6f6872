/** `840 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `940`, `12.4k`, `1.2M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_950) return `${trimZero((count / 1000).toFixed(1))}k`
  return `${trimZero((count / 1_000_000).toFixed(1))}M`
}

function trimZero(text: string): string {
  return text.replace(/\.0$/, '')
}

/** Under which heading a moment of the past stands in a list. */
export function dayGroup(time: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(time)) / 86_400_000)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 7) return 'Previous 7 days'
  if (days < 30) return 'Previous 30 days'
  return new Date(time).toLocaleDateString(undefined, { month: 'long', year: 'numeric' })
}

/** `14:05` today, `3 Mar, 14:05` before. */
export function formatMoment(time: number, now: number): string {
  const date = new Date(time)
  const clock = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  if (startOfDay(time) === startOfDay(now)) return clock
  return `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${clock}`
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}

/** `TodoWrite` and `todo_write` as words: `Todo write`. */
export function formatToolName(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

/** `1 line`, `2,345 lines`. */
export function countOf(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`
}

/** `812 bytes`, `12.4 KB`, `3.1 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return countOf(bytes, 'byte')
  if (bytes < 999_950) return `${trimZero((bytes / 1000).toFixed(1))} KB`
  return `${trimZero((bytes / 1_000_000).toFixed(1))} MB`
}

/** `$0.0042`, `$0.125`, `$1.20`; less than a hundredth of a cent is said to be so. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0'
  if (dollars < 0.0001) return '<$0.0001'
  const digits = dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2
  return `$${dollars.toFixed(digits)}`
}

/** `21 %`; what is not nothing is not shown as nothing, nor what is not all as all. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %'
  const percent = (100 * part) / whole
  if (percent < 1) return '<1 %'
  if (percent > 99 && percent < 100) return '99 %'
  return `${Math.round(percent)} %`
}
