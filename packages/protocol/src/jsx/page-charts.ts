import { type Fields, isFields, numberOf, type PageElement, type PageNode, textOf, type Value } from './values.ts'

export const chartNames = new Set(['BarChart', 'LineChart', 'AreaChart', 'PieChart', 'ComposedChart', 'Sparkline'])
/** Parts that configure the chart around them. */
export const chartPartNames = new Set(
  'Bar Line Area Pie Cell XAxis YAxis CartesianGrid Tooltip Legend ReferenceLine LabelList ChartTooltip ChartTooltipContent ChartLegend ChartLegendContent'.split(
    ' ',
  ),
)
const frames = new Set(['ResponsiveContainer', 'ChartContainer'])

const palette = ['#2563eb', '#16a34a', '#d97706', '#dc2626', '#7c3aed', '#0891b2', '#db2777', '#65a30d']
const maxPoints = 500

interface Part {
  name: string
  props: Fields
  children: PageNode[]
}

type Kind = 'bar' | 'line' | 'area'

interface Series {
  kind: Kind
  key: string
  name: string
  color: string
}

/**
 * Draws charts as SVG, so that they need no script: `<BarChart data={…} x="month" y="sales" />`, and the forms that
 * models know from Recharts. Returns undefined for other names.
 */
export function createCharts(): (name: string, props: Fields, children: PageNode[]) => PageNode[] | undefined {
  const parts = new WeakMap<PageElement, Part>()
  return (name, props, children) => {
    if (frames.has(name)) return children.filter((child) => typeof child !== 'string')
    if (chartPartNames.has(name)) {
      const marker: PageElement = { tag: 'x-part', attributes: {}, children: [] }
      parts.set(marker, { name, props, children })
      return [marker]
    }
    if (!chartNames.has(name)) return undefined
    const inside = (nodes: readonly PageNode[]): Part[] =>
      nodes.flatMap((node) => (typeof node === 'string' ? [] : (parts.get(node) ?? [])))
    const given = inside(children)
    const pie = given.find((part) => part.name === 'Pie')
    if (name === 'PieChart') return [drawPie(pie?.props ?? props, props, inside(pie?.children ?? []))]
    return [drawAxes(name, props, given)]
  }
}

function rowsOf(data: Value): Fields[] {
  if (!Array.isArray(data)) return []
  return data.slice(0, maxPoints).map((row, index) => (isFields(row) ? row : { name: String(index + 1), value: row }))
}

function drawAxes(name: string, props: Fields, parts: Part[]): PageElement {
  const rows = rowsOf(props['data'])
  const axis = parts.find((part) => part.name === 'XAxis')
  const labelKey = textOf(props['x'] ?? axis?.props['dataKey'] ?? labelKeyOf(rows))
  const series = seriesOf(name, props, parts, rows, labelKey)
  const isSpark = name === 'Sparkline'
  const [width, height] = [600, clamp(numberOf(props['height'] ?? (isSpark ? 80 : 260)), 40, 1000) || 260]
  const pad = isSpark
    ? { left: 4, right: 4, top: 4, bottom: 4 }
    : { left: 48, right: 12, top: 12, bottom: series.length > 1 ? 48 : 28 }
  const numbers = rows.flatMap((row) => series.map(({ key }) => numberOf(row[key]))).filter(Number.isFinite)
  const ticks = ticksFor(Math.min(0, ...numbers), Math.max(0, ...numbers, numbers.length === 0 ? 1 : -Infinity))
  const [least, most] = [ticks[0] ?? 0, ticks.at(-1) ?? 1]
  const x = (index: number): number =>
    pad.left + ((index + 0.5) * (width - pad.left - pad.right)) / Math.max(1, rows.length)
  const y = (value: number): number =>
    pad.top + (1 - (value - least) / (most - least || 1)) * (height - pad.top - pad.bottom)
  const nodes: PageNode[] = isSpark
    ? []
    : [...gridLines(ticks, y, pad.left, width - pad.right), ...labels(rows, labelKey, x, height - pad.bottom + 18)]
  const bars = series.filter(({ kind }) => kind === 'bar')
  const room = ((width - pad.left - pad.right) / Math.max(1, rows.length)) * 0.7
  for (const one of series) {
    const points = rows.map((row, index): [number, number] => [x(index), y(numberOf(row[one.key]) || 0)])
    if (one.kind === 'bar') {
      const [place, wide] = [bars.indexOf(one), room / bars.length]
      nodes.push(...points.map(([cx, top]) => bar(cx - room / 2 + place * wide, top, wide * 0.92, y(0), one.color)))
      continue
    }
    const line = points.map(([px, py]) => `${round(px)},${round(py)}`).join(' ')
    if (one.kind === 'area' && points.length > 0)
      nodes.push(
        shape('polygon', {
          points: `${round(x(0))},${round(y(0))} ${line} ${round(x(points.length - 1))},${round(y(0))}`,
          fill: one.color,
          'fill-opacity': '0.2',
        }),
      )
    nodes.push(
      shape('polyline', {
        points: line,
        fill: 'none',
        stroke: one.color,
        'stroke-width': '2.5',
        'stroke-linejoin': 'round',
        'stroke-linecap': 'round',
      }),
    )
  }
  if (series.length > 1 && !isSpark)
    nodes.push(
      ...legend(
        series.map((one) => [one.name, one.color]),
        pad.left,
        height - 10,
      ),
    )
  return picture(
    width,
    height,
    `${name.replace('Chart', ' chart')}: ${series.map((one) => one.name).join(', ')}`,
    nodes,
  )
}

function seriesOf(name: string, props: Fields, parts: Part[], rows: Fields[], labelKey: string): Series[] {
  const kinds: Record<string, Kind> = { Bar: 'bar', Line: 'line', Area: 'area' }
  const given = parts.flatMap((part): Series[] => {
    const kind = kinds[part.name]
    const key = part.props['dataKey']
    return kind === undefined || key === undefined
      ? []
      : [
          {
            kind,
            key: textOf(key),
            name: textOf(part.props['name'] ?? key),
            color: colorOf(part.props['fill'], colorOf(part.props['stroke'], '')),
          },
        ]
  })
  const usual = name === 'BarChart' ? 'bar' : name === 'AreaChart' ? 'area' : 'line'
  const named = Array.isArray(props['y'])
    ? props['y'].map(textOf)
    : props['y'] === undefined
      ? numericKeys(rows, labelKey)
      : [textOf(props['y'])]
  const all =
    given.length > 0
      ? given
      : named.map((key): Series => ({ kind: usual, key, name: key, color: colorOf(props['color'], '') }))
  return all
    .slice(0, 8)
    .map((one, index) => ({ ...one, color: one.color === '' ? (palette[index] as string) : one.color }))
}

function labelKeyOf(rows: Fields[]): string {
  const [first] = rows
  return Object.keys(first ?? {}).find((key) => typeof first?.[key] === 'string') ?? 'name'
}

function numericKeys(rows: Fields[], except: string): string[] {
  const [first] = rows
  return Object.keys(first ?? {}).filter((key) => key !== except && typeof first?.[key] === 'number')
}

function drawPie(pie: Fields, props: Fields, cells: Part[]): PageElement {
  const rows = rowsOf(pie['data'] ?? props['data'])
  const nameKey = textOf(pie['nameKey'] ?? props['x'] ?? labelKeyOf(rows))
  const valueKey = textOf(pie['dataKey'] ?? props['y'] ?? numericKeys(rows, nameKey)[0] ?? 'value')
  const values = rows.map((row) => Math.max(0, numberOf(row[valueKey]) || 0))
  const sum = values.reduce((one, other) => one + other, 0) || 1
  const size = clamp(numberOf(props['height'] ?? 240), 80, 800) || 240
  const [center, radius] = [size / 2, size / 2 - 6]
  const hole = pie['innerRadius'] === undefined || pie['innerRadius'] === 0 ? 0 : radius * 0.6
  let turn = -Math.PI / 2
  const colors = rows.map((row, index) =>
    colorOf(
      cells[index]?.props['fill'],
      colorOf(row['fill'] ?? row['color'], palette[index % palette.length] as string),
    ),
  )
  const slices = values.map((value, index) => {
    const end = turn + (value / sum) * Math.PI * 2
    const path = slicePath(center, radius, hole, turn, Math.min(end, turn + Math.PI * 1.9999))
    turn = end
    return shape('path', { d: path, fill: colors[index] as string, stroke: 'white', 'stroke-width': '1.5' })
  })
  const names = rows.slice(0, 12).map((row, index): PageNode[] => [
    shape('rect', {
      x: String(size + 16),
      y: String(12 + index * 22),
      width: '12',
      height: '12',
      rx: '2',
      fill: colors[index] as string,
    }),
    words(
      size + 36,
      22 + index * 22,
      `${textOf(row[nameKey] ?? '')} (${Math.round(((values[index] as number) / sum) * 100)}%)`,
      'start',
    ),
  ])
  return picture(size + 260, size, 'Pie chart', [...slices, ...names.flat()])
}

function slicePath(center: number, radius: number, hole: number, from: number, to: number): string {
  const at = (length: number, angle: number): string =>
    `${round(center + length * Math.cos(angle))} ${round(center + length * Math.sin(angle))}`
  const large = to - from > Math.PI ? 1 : 0
  const outer = `M ${at(radius, from)} A ${radius} ${radius} 0 ${large} 1 ${at(radius, to)}`
  return hole === 0
    ? `${outer} L ${center} ${center} Z`
    : `${outer} L ${at(hole, to)} A ${round(hole)} ${round(hole)} 0 ${large} 0 ${at(hole, from)} Z`
}

function ticksFor(least: number, most: number): number[] {
  const step = niceStep((most - least) / 4 || 1)
  const first = Math.floor(least / step) * step
  const count = Math.min(12, Math.ceil((most - first) / step - 1e-9) + 1)
  return Array.from({ length: Math.max(2, count) }, (_, index) => first + index * step)
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10
  return factor * power
}

function gridLines(ticks: number[], y: (value: number) => number, left: number, right: number): PageNode[] {
  return ticks.flatMap((tick) => [
    shape('line', {
      x1: String(left),
      x2: String(right),
      y1: round(y(tick)),
      y2: round(y(tick)),
      stroke: 'currentColor',
      'stroke-opacity': tick === 0 ? '0.4' : '0.12',
    }),
    words(left - 8, y(tick) + 4, short(tick), 'end'),
  ])
}

function labels(rows: Fields[], key: string, x: (index: number) => number, y: number): PageNode[] {
  const every = Math.max(1, Math.ceil(rows.length / 12))
  return rows.flatMap((row, index) =>
    index % every === 0 ? [words(x(index), y, textOf(row[key] ?? '').slice(0, 14), 'middle')] : [],
  )
}

function legend(names: [string, string][], left: number, y: number): PageNode[] {
  let x = left
  return names.flatMap(([name, color]) => {
    const at = x
    x += 30 + name.length * 7
    return [
      shape('rect', { x: String(at), y: String(y - 10), width: '12', height: '12', rx: '2', fill: color }),
      words(at + 18, y, name, 'start'),
    ]
  })
}

function bar(x: number, top: number, width: number, base: number, color: string): PageElement {
  return shape('rect', {
    x: round(x),
    y: round(Math.min(top, base)),
    width: round(Math.max(1, width)),
    height: round(Math.abs(base - top)),
    rx: '2',
    fill: color,
  })
}

function picture(width: number, height: number, name: string, children: PageNode[]): PageElement {
  const attributes = {
    viewBox: `0 0 ${round(width)} ${round(height)}`,
    role: 'img',
    'aria-label': name,
    class: 'page-chart',
    xmlns: 'http://www.w3.org/2000/svg',
  }
  return { tag: 'svg', attributes, children }
}

function shape(tag: string, attributes: Record<string, string>): PageElement {
  return { tag, attributes, children: [] }
}

function words(x: number, y: number, text: string, anchor: string): PageElement {
  return {
    tag: 'text',
    attributes: {
      x: round(x),
      y: round(y),
      'text-anchor': anchor,
      'font-size': '12',
      fill: 'currentColor',
      'fill-opacity': '0.75',
    },
    children: [text],
  }
}

function colorOf(value: Value, otherwise: string): string {
  return typeof value === 'string' && /^(?:#[\da-f]{3,8}|[a-z]+|(?:rgb|hsl|oklch)a?\([\d\s.,%/-]+\))$/i.test(value)
    ? value
    : otherwise
}

function clamp(value: number, least: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : Number.NaN
}

function round(value: number): string {
  return String(Math.round((Number.isFinite(value) ? value : 0) * 10) / 10)
}

function short(value: number): string {
  return new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 }).format(value)
}
