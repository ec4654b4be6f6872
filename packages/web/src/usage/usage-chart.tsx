import type { UsageInfo } from '@troupe/protocol'
import { formatCost, formatNumber } from '../texts/format.ts'
import { t } from '../texts/t.ts'

/** A bar per day. Shows tokens if nothing has a price. The table has the same numbers for screen readers. */
export function UsageChart({ usage }: { usage: UsageInfo }) {
  const known = new Map(usage.days.map((day) => [day.day, day]))
  const isPriced = usage.total.cost > 0
  const bars = daysBetween(usage.from, usage.to).map((day) => {
    const { cost = 0, inputTokens = 0, outputTokens = 0 } = known.get(day) ?? {}
    const tokens = inputTokens + outputTokens
    return { day, height: isPriced ? cost : tokens, title: barTitle(day, cost, tokens) }
  })
  const highest = Math.max(...bars.map(({ height }) => height), Number.MIN_VALUE)
  const title = isPriced ? t.usage.chart : t.usage.chartTokens
  return (
    <figure className="usage-chart">
      <figcaption>
        {title}
        <span>{isPriced ? formatCost(highest) : formatNumber(highest)}</span>
      </figcaption>
      <div className="usage-bars" aria-hidden>
        {bars.map(({ day, height, title: text }) => (
          <span key={day} title={text}>
            <i style={{ height: `${(100 * height) / highest}%` }} data-empty={height === 0} />
          </span>
        ))}
      </div>
      <div className="usage-ends" aria-hidden>
        <span>{formatDay(usage.from, 'short')}</span>
        <span>{formatDay(usage.to, 'short')}</span>
      </div>
    </figure>
  )
}

function barTitle(day: string, cost: number, tokens: number): string {
  return t.usage.bar(formatDay(day, 'long'), formatCost(cost), formatNumber(tokens))
}

/** `day` is a local date, `YYYY-MM-DD`. */
export function formatDay(day: string, style: 'short' | 'long'): string {
  const options: Intl.DateTimeFormatOptions =
    style === 'short'
      ? { month: 'short', day: 'numeric' }
      : { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }
  return new Intl.DateTimeFormat(t.tag, { ...options, timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))
}

export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let time = Date.parse(from); time <= Date.parse(to) && days.length < 400; time += 86_400_000)
    days.push(new Date(time).toISOString().slice(0, 10))
  return days
}
