import { escapeXml } from '../../xml/parse-xml.ts'
import { declaration } from './package.ts'

export interface ChartSeries {
  name?: string | undefined
  /** Range of the values: `Sheet1!$B$2:$B$9`. */
  reference: string
  values: readonly (number | undefined)[]
}

export interface Chart {
  type: 'column' | 'bar' | 'line' | 'pie' | 'area' | 'scatter'
  title?: string | undefined
  categories: { reference: string; values: readonly string[] }
  series: readonly ChartSeries[]
  /** Relationship of the workbook with the data, in a presentation. */
  workbook?: string | undefined
}

export const chartType = 'application/vnd.openxmlformats-officedocument.drawingml.chart+xml'
export const chartAddress = 'http://schemas.openxmlformats.org/drawingml/2006/chart'
const colors = ['4472C4', 'ED7D31', 'A5A5A5', 'FFC000', '5B9BD5', '70AD47']

/** A plain chart: one plot, a legend, and the values as they are now. */
export function chartXml(chart: Chart): string {
  const { type, title, series, workbook } = chart
  const hasAxes = type !== 'pie'
  const plots = series.map((one, index) => seriesXml(chart, one, index)).join('')
  const axes = hasAxes ? '<c:axId val="111111111"/><c:axId val="222222222"/>' : ''
  const head =
    title === undefined
      ? '<c:autoTitleDeleted val="1"/>'
      : `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:rPr lang="en-US" sz="1400" b="1"/><a:t>${escapeXml(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/>`
  const data =
    workbook === undefined ? '' : `<c:externalData r:id="${workbook}"><c:autoUpdate val="0"/></c:externalData>`
  return `${declaration}<c:chartSpace xmlns:c="${chartAddress}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><c:chart>${head}<c:plotArea><c:layout/>${plot(type, plots, axes)}${hasAxes ? axesXml(type) : ''}</c:plotArea><c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend><c:plotVisOnly val="1"/></c:chart>${data}</c:chartSpace>`
}

function plot(type: Chart['type'], series: string, axes: string): string {
  switch (type) {
    case 'column':
    case 'bar':
      return `<c:barChart><c:barDir val="${type === 'bar' ? 'bar' : 'col'}"/><c:grouping val="clustered"/><c:varyColors val="0"/>${series}<c:gapWidth val="100"/>${axes}</c:barChart>`
    case 'line':
      return `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>${series}<c:marker val="1"/>${axes}</c:lineChart>`
    case 'area':
      return `<c:areaChart><c:grouping val="standard"/><c:varyColors val="0"/>${series}${axes}</c:areaChart>`
    case 'scatter':
      return `<c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>${series}${axes}</c:scatterChart>`
    case 'pie':
      return `<c:pieChart><c:varyColors val="1"/>${series}</c:pieChart>`
  }
}

function axesXml(type: Chart['type']): string {
  const [first, second] = type === 'bar' ? ['l', 'b'] : ['b', 'l']
  const shared = (id: number, other: number, side: string, lines: string): string =>
    `<c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="${side}"/>${lines}<c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="${other}"/><c:crosses val="autoZero"/>`
  const values = `<c:valAx>${shared(222222222, 111111111, second!, '<c:majorGridlines/>')}</c:valAx>`
  if (type === 'scatter') return `<c:valAx>${shared(111111111, 222222222, first!, '')}</c:valAx>${values}`
  return `<c:catAx>${shared(111111111, 222222222, first!, '')}</c:catAx>${values}`
}

function seriesXml({ type, categories }: Chart, { name, reference, values }: ChartSeries, index: number): string {
  const color = colors[index % colors.length]
  const fill = `<a:solidFill><a:srgbClr val="${color}"/></a:solidFill>`
  const look =
    type === 'pie'
      ? ''
      : `<c:spPr>${type === 'line' || type === 'scatter' ? `<a:ln w="28575">${fill}</a:ln>` : fill}</c:spPr>`
  const title = name === undefined ? '' : `<c:tx><c:v>${escapeXml(name)}</c:v></c:tx>`
  const text = `<c:strRef><c:f>${escapeXml(categories.reference)}</c:f><c:strCache><c:ptCount val="${categories.values.length}"/>${categories.values.map((value, at) => `<c:pt idx="${at}"><c:v>${escapeXml(value)}</c:v></c:pt>`).join('')}</c:strCache></c:strRef>`
  const numbers = (given: readonly (number | undefined)[], where: string): string =>
    `<c:numRef><c:f>${escapeXml(where)}</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="${given.length}"/>${given.map((value, at) => (value === undefined ? '' : `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`)).join('')}</c:numCache></c:numRef>`
  const head = `<c:idx val="${index}"/><c:order val="${index}"/>${title}${look}`
  if (type === 'scatter') {
    const across = categories.values.map((value) =>
      Number.isFinite(Number(value)) && value !== '' ? Number(value) : undefined,
    )
    return `<c:ser>${head}<c:xVal>${numbers(across, categories.reference)}</c:xVal><c:yVal>${numbers(values, reference)}</c:yVal><c:smooth val="0"/></c:ser>`
  }
  const smooth = type === 'line' ? '<c:smooth val="0"/>' : ''
  const invert = type === 'column' || type === 'bar' ? '<c:invertIfNegative val="0"/>' : ''
  return `<c:ser>${head}${invert}<c:cat>${text}</c:cat><c:val>${numbers(values, reference)}</c:val>${smooth}</c:ser>`
}
