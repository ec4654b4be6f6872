import { chartNames, chartPartNames, createCharts } from './page-charts.ts'
import { componentNames, componentNode } from './page-components.ts'
import { type Fields, fields, type PageNode, type Value } from './values.ts'

/** Components and charts that a page can use without defining them. */
export const pagePartNames: ReadonlySet<string> = new Set([...componentNames, ...chartNames, ...chartPartNames])

/** True for charts, and for parts that only configure the chart around them. */
export function isChartPart(name: string): boolean {
  return chartNames.has(name) || chartPartNames.has(name)
}

/**
 * Makes the nodes of components and charts from plain values, for pages that a browser runs. One maker per chart: it
 * knows the parts it was given before.
 */
export function createPageParts(): (name: string, props: object, children: PageNode[]) => PageNode[] {
  const charts = createCharts()
  return (name, props, children) => {
    const given = toFields(props, 0)
    return charts(name, given, children) ?? componentNode(name, given, children, () => undefined) ?? []
  }
}

const maxDepth = 6

function toFields(props: object, depth: number): Fields {
  const given = Object.entries(props).filter(([name]) => name !== 'children')
  return fields(Object.fromEntries(given.map(([name, value]) => [name, toValue(value, depth + 1)])))
}

/** Data stays; functions and elements are left out. */
function toValue(value: unknown, depth: number): Value {
  if (Array.isArray(value)) return depth > maxDepth ? [] : value.map((item: unknown) => toValue(item, depth + 1))
  if (typeof value === 'object' && value !== null) {
    const isPlain = Object.getPrototypeOf(value) === Object.prototype && !('$$typeof' in value)
    return isPlain && depth <= maxDepth ? toFields(value, depth) : undefined
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}
