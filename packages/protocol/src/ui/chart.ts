export type ChartOption = Record<string, unknown>

const chartLimits = { depth: 20, values: 100_000, text: 20_000 }

/** Keys that hold code, a URL to open or a style sheet. */
const refusedKeys = new Map([
  ['__proto__', 'is not an allowed name'],
  ['constructor', 'is not an allowed name'],
  ['prototype', 'is not an allowed name'],
  ['renderItem', 'is code, but an option is data only: use a built-in series type'],
  ['optionToContent', 'is code, but an option is data only'],
  ['contentToOption', 'is code, but an option is data only'],
  ['extraCssText', 'is a style sheet, which is not allowed'],
  ['link', 'would open a page, which is not allowed'],
  ['sublink', 'would open a page, which is not allowed'],
])

const inlineImage = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/
const isCode = /^\s*(?:async\s+)?(?:function\b|\(?[\w$,\s]*\)?\s*=>)/

/** Returns why an option cannot be shown, with the path, or undefined if it can. */
export function chartProblem(option: unknown): string | undefined {
  let values = 0
  if (!isRecord(option)) return 'The option must be an object.'
  if (!['series', 'dataset', 'graphic', 'baseOption', 'options'].some((name) => Object.hasOwn(option, name)))
    return 'The option has no "series": there is nothing to draw.'
  return look(option, 'option', '', 0)

  function look(value: unknown, path: string, key: string, depth: number): string | undefined {
    if ((values += 1) > chartLimits.values) return `The option has more than ${chartLimits.values} values.`
    if (depth > chartLimits.depth) return `${path} is more than ${chartLimits.depth} levels deep.`
    if (typeof value === 'string') return textProblem(value, path, key)
    if (Array.isArray(value))
      return firstProblem(value.entries(), ([index, one]) => look(one, `${path}[${index}]`, key, depth + 1))
    if (!isRecord(value))
      return isPlainObject(value) ? undefined : `${path} is neither text nor a number: an option is data only.`
    return firstProblem(Object.entries(value), ([name, one]) => {
      const refused = refusedKeys.get(name)
      if (refused !== undefined) return `${path}.${name} ${refused}.`
      return look(one, `${path}.${name}`, name, depth + 1)
    })
  }
}

function textProblem(text: string, path: string, key: string): string | undefined {
  if (/^image:\/\//i.test(text)) return isInlineImage(text.slice(8)) ? undefined : remoteImageProblem(path)
  if ((key === 'image' || key === 'src') && text !== '')
    return isInlineImage(text) ? undefined : remoteImageProblem(path)
  if (text.length > chartLimits.text) return `${path} is longer than ${chartLimits.text} characters.`
  if (/formatter$/i.test(key)) {
    if (/<[a-z!/]/i.test(text)) return `${path} contains HTML. Use a text template such as "{b}: {c}".`
    if (isCode.test(text)) return `${path} contains code. Use a text template such as "{b}: {c}".`
  }
  return undefined
}

function remoteImageProblem(path: string): string {
  return `${path} refers to an external image, which is not loaded. Use a shape such as "circle", or an image as data:image/png;base64,….`
}

function isInlineImage(address: string): boolean {
  return address.length <= 500_000 && inlineImage.test(address)
}

function firstProblem<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function isPlainObject(value: unknown): boolean {
  return value === null || ['number', 'boolean', 'undefined'].includes(typeof value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the chart's data as rows with a header row, as an accessible and verifiable alternative to the image. */
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

/** For series without a common axis: lists every value with its series and name. */
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
