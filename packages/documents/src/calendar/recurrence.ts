const units: Readonly<Record<string, string>> = {
  SECONDLY: 'second',
  MINUTELY: 'minute',
  HOURLY: 'hour',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
}
const days: Readonly<Record<string, string>> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
}
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** A rule such as `FREQ=WEEKLY;BYDAY=MO,WE` in words: `every week on Monday and Wednesday`. */
export function recurrenceText(rule: string): string {
  const parts = new Map(
    rule.split(';').map((part) => {
      const [key = '', value = ''] = part.split('=', 2)
      return [key.trim().toUpperCase(), value.trim()]
    }),
  )
  const unit = units[parts.get('FREQ')?.toUpperCase() ?? '']
  if (unit === undefined) return rule
  const interval = Number(parts.get('INTERVAL') ?? 1)
  const words = [interval > 1 ? `every ${interval} ${unit}s` : `every ${unit}`]
  const position = parts.get('BYSETPOS')
  const byDay = parts.get('BYDAY')
  if (byDay !== undefined)
    words.push(
      `on ${position === undefined ? '' : `the ${ordinal(Number(position))} `}${list(byDay.split(',').map(dayText))}`,
    )
  const byMonthDay = parts.get('BYMONTHDAY')
  if (byMonthDay !== undefined)
    words.push(`on day ${list(byMonthDay.split(',').map((day) => (day === '-1' ? 'the last' : day)))} of the month`)
  const byMonth = parts.get('BYMONTH')
  if (byMonth !== undefined)
    words.push(`in ${list(byMonth.split(',').map((month) => months[Number(month) - 1] ?? month))}`)
  const count = parts.get('COUNT')
  const until = parts.get('UNTIL')
  if (count !== undefined) words.push(count === '1' ? 'once' : `${count} times`)
  if (until !== undefined) words.push(`until ${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`)
  return words.join(' ')
}

function dayText(day: string): string {
  const match = /^([+-]?\d+)?([A-Z]{2})$/.exec(day.trim().toUpperCase())
  const name = days[match?.[2] ?? ''] ?? day
  return match?.[1] === undefined ? name : `the ${ordinal(Number(match[1]))} ${name}`
}

function ordinal(number: number): string {
  if (number === -1) return 'last'
  if (number < 0) return `${ordinal(-number)} last`
  const ending = number % 100 > 10 && number % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}

function list(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
