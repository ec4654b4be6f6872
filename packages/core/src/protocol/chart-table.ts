import type { ChartOption } from './chart-option.ts'

/** The figures of a chart as rows, the first of them the head, for those who cannot see or do not trust the picture. */
export function chartTable(option: ChartOption): string[][] | undefined {
  const found = tableFromDataset(option['dataset']) ?? tableFromCategories(option) ?? tableFromSeries(option)
  return found === undefined || found.length < 2 ? undefined : found
}

function tableFromDataset(dataset: unknown): string[][] | undefined {
  const source = firstRecord(dataset)?.['source']
  if (!Array.isArray(source) || source.length === 0) return undefined
  if (source.every((row) => Array.isArray(row))) return source.map((row) => row.map(cellText))
  const rows = recordsIn(source)
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [names, ...rows.map((row) => names.map((name) => cellText(row[name])))]
}

function tableFromCategories(option: ChartOption): string[][] | undefined {
  const axis = [firstRecord(option['xAxis']), firstRecord(option['yAxis'])].find((one) => Array.isArray(one?.['data']))
  const series = seriesIn(option)
  if (axis === undefined || series.length === 0) return undefined
  const categories = axis['data'] as unknown[]
  const head = [cellText(axis['name']), ...series.map(seriesName)]
  return [
    head,
    ...categories.map((category, index) => [
      cellText(isRecord(category) ? category['value'] : category),
      ...series.map((one) => cellText(Array.isArray(one['data']) ? one['data'][index] : undefined)),
    ]),
  ]
}

/** What has no common axis: every value with its series and name. */
function tableFromSeries(option: ChartOption): string[][] | undefined {
  const series = seriesIn(option)
  const rows = series.flatMap((one, index) => {
    const data = Array.isArray(one['data']) ? one['data'] : []
    return data.map((item) => [
      seriesName(one, index),
      ...(isRecord(item) ? [cellText(item['name']), cellText(item['value'])] : nameAndValue(item)),
    ])
  })
  return rows.length === 0 ? undefined : [['', '', ''], ...rows]
}

function nameAndValue(item: unknown): [string, string] {
  if (!Array.isArray(item)) return ['', cellText(item)]
  return [cellText(item[0]), item.slice(1).map(cellText).join(', ')]
}

function seriesIn(option: ChartOption): Record<string, unknown>[] {
  return Array.isArray(option['series'])
    ? recordsIn(option['series'])
    : isRecord(option['series'])
      ? [option['series']]
      : []
}

function firstRecord(value: unknown): Record<string, unknown> | undefined {
  return Array.isArray(value) ? recordsIn(value)[0] : isRecord(value) ? value : undefined
}

function seriesName(series: Record<string, unknown>, index: number): string {
  return typeof series['name'] === 'string' ? series['name'] : String(index + 1)
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isRecord(value)) return cellText(value['value'] ?? value['name'])
  if (Array.isArray(value)) return value.map(cellText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
