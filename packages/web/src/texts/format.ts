import { t } from './t.ts'

const numberFormatters = new Map<string, Intl.NumberFormat>()

const timeFormatters = new Map<string, Intl.DateTimeFormat>()

/** Caches formatters, which are slow to create. */
function numberFormatter(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${locale()} ${JSON.stringify(options)}`
  const known = numberFormatters.get(key) ?? new Intl.NumberFormat(locale(), options)
  numberFormatters.set(key, known)
  return known
}

function timeFormatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`
  const known = timeFormatters.get(key) ?? new Intl.DateTimeFormat(locale(), options)
  timeFormatters.set(key, known)
  return known
}

const relativeFormatters = new Map<string, Intl.RelativeTimeFormat>()

function relativeFormatter(): Intl.RelativeTimeFormat {
  const known = relativeFormatters.get(locale()) ?? new Intl.RelativeTimeFormat(locale(), { style: 'narrow' })
  relativeFormatters.set(locale(), known)
  return known
}

/** `2,345`. */
export function formatNumber(number: number): string {
  return numberFormatter().format(number)
}

/** Tells whether a duration is worth showing. Shorter ones say nothing to a person. */
export function isLong(milliseconds: number | undefined): milliseconds is number {
  return milliseconds !== undefined && milliseconds >= 1000
}

/** `840 ms`, `3.4 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return t.format.milliseconds(formatNumber(Math.round(milliseconds)))
  if (milliseconds < 59_950) {
    const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
    return t.format.seconds(numberFormatter(digits).format(milliseconds / 1000))
  }
  const seconds = Math.round(milliseconds / 1000)
  return t.format.minutes(formatNumber(Math.floor(seconds / 60)), formatNumber(seconds % 60))
}

/** `12 s`, `2 min 5 s`. */
export function formatSeconds(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return seconds < 60 ? t.format.seconds(formatNumber(seconds)) : formatDuration(seconds * 1000)
}

/** `940`, `12.4k`, `1.2M`. */
export function formatCount(count: number): string {
  return numberFormatter({ notation: 'compact', maximumFractionDigits: 1 }).format(count).replace('K', 'k')
}

export function dayGroup(time: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(time)) / 86_400_000)
  if (days <= 0) return t.format.today
  if (days === 1) return t.format.yesterday
  if (days < 7) return t.format.last7Days
  if (days < 30) return t.format.last30Days
  return timeFormatter({ month: 'long', year: 'numeric' }).format(time)
}

/** `14:05` today, `3 Mar, 14:05` on earlier days. */
export function formatMoment(time: number, now: number): string {
  const clock = timeFormatter({ hour: '2-digit', minute: '2-digit' }).format(time)
  if (startOfDay(time) === startOfDay(now)) return clock
  return `${timeFormatter({ day: 'numeric', month: 'short' }).format(time)}, ${clock}`
}

/** `now`, `5m ago`, `3h ago`, `2d ago`, `3 Mar`. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000)
  if (minutes < 1) return t.format.justNow
  const ago = (count: number, unit: Intl.RelativeTimeFormatUnit) => relativeFormatter().format(-Math.floor(count), unit)
  if (minutes < 60) return ago(minutes, 'minute')
  if (minutes < 24 * 60) return ago(minutes / 60, 'hour')
  if (minutes < 7 * 24 * 60) return ago(minutes / 60 / 24, 'day')
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear()
  return timeFormatter({ day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) }).format(time)
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}

/** Converts `TodoWrite` or `todo_write` to words: `Todo write`. */
export function formatToolName(name: string): string {
  if (Object.hasOwn(t.format.tools, name)) return t.format.tools[name] as string
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  if (server !== undefined && tool !== undefined) return `${formatToolName(tool)} (${server})`
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

/** `812 bytes`, `12.4 KB`, `3.1 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return t.format.bytes(bytes)
  const short = numberFormatter({ maximumFractionDigits: 1 })
  if (bytes < 999_950) return `${short.format(bytes / 1000)} KB`
  if (bytes < 999_950_000) return `${short.format(bytes / 1_000_000)} MB`
  return `${short.format(bytes / 1_000_000_000)} GB`
}

/** `$0.0042`, `$0.125`, `$1.20`. Amounts below a hundredth of a cent show as such. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0'
  if (dollars < 0.0001) return '<$0.0001'
  const digits = dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2
  return `$${numberFormatter({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(dollars)}`
}

/** `21 %`. Never rounds a nonzero part to 0 % or an incomplete one to 100 %. */
export function formatPercent(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return t.format.percent('0')
  const percent = (100 * part) / whole
  if (percent < 1) return t.format.percent('<1')
  if (percent > 99 && percent < 100) return t.format.percent('99')
  return t.format.percent(String(Math.round(percent)))
}

/** Locale for dates and numbers: the browser's, if it matches the page's language. */
function locale(): string {
  // Without a system locale, Chromium may report `en-US@posix`, which `Intl` rejects.
  const own = globalThis.navigator?.language.replace(/@.*/, '') ?? t.tag
  return own === t.tag || own.startsWith(`${t.tag}-`) ? own : t.tag
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
