import type { ZipPackage } from '../package/zip-package.ts'
import { oneLine, tableLines } from '../text/markdown.ts'
import {
  attribute,
  childNamed,
  childrenNamed,
  descendants,
  localName,
  textOf,
  type XmlElement,
} from '../xml/parse-xml.ts'

const maxPoints = 1000

/** The data of a chart as lines: its title and a table with one column for each series. */
export async function chartLines(parts: ZipPackage, part: string): Promise<string[]> {
  const root = await parts.xml(part)
  const chart = childNamed(root === undefined ? undefined : childNamed(root, 'chartSpace'), 'chart')
  const plot = childNamed(chart, 'plotArea')
  if (chart === undefined || plot === undefined) return [`[chart: ${part}]`]
  const title = childNamed(chart, 'title')
  const name = title === undefined ? '' : oneLine([...descendants(title, 't')].map(textOf).join(''))
  const kinds = plot.children.flatMap((each) => (each.name?.endsWith('Chart') === true ? [localName(each.name)] : []))
  const series = [...descendants(plot, 'ser')].map(readSeries)
  const lines = [`[${kinds[0] ?? 'chart'}${name === '' ? '' : `: ${name}`}]`]
  const labels = series[0]?.labels ?? []
  const count = Math.min(
    maxPoints,
    Math.max(0, ...series.flatMap(({ values, labels: own }) => [values.length, own.length])),
  )
  if (count === 0) return lines
  const rows = [['', ...series.map((each, index) => each.name || `Series ${index + 1}`)]]
  for (let index = 0; index < count; index++)
    rows.push([labels[index] ?? String(index + 1), ...series.map(({ values }) => values[index] ?? '')])
  return [...lines, ...tableLines(rows)]
}

function readSeries(node: XmlElement): { name: string; labels: string[]; values: string[] } {
  const name = childNamed(node, 'tx')
  return {
    name: name === undefined ? '' : oneLine([...descendants(name, 'v')].map(textOf).join(' ')),
    labels: points(childNamed(node, 'cat') ?? childNamed(node, 'xVal')),
    values: points(childNamed(node, 'val') ?? childNamed(node, 'yVal')),
  }
}

/** Values by their index: a cache leaves out empty cells. Labels on several levels are joined. */
function points(node: XmlElement | undefined): string[] {
  if (node === undefined) return []
  const levels = [...descendants(node, 'lvl')]
  const found: string[] = []
  for (const level of levels.length > 0 ? levels : [node])
    for (const point of levels.length > 0 ? childrenNamed(level, 'pt') : descendants(level, 'pt')) {
      const index = Number(attribute(point, 'idx') ?? found.length)
      if (!Number.isInteger(index) || index < 0 || index >= maxPoints) continue
      const value = oneLine(textOf(childNamed(point, 'v') ?? point))
      found[index] = found[index] === undefined ? value : `${value} ${found[index]}`
    }
  return Array.from(found, (value) => value ?? '')
}
