import { type ChartOption, chartProblem } from '@troupe/protocol'
import { z } from 'zod'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Shows the person a chart. "option" is an option of Apache ECharts as plain JSON: series with their data, axes, legend, tooltip. Data only: no functions, no HTML in formatters (templates such as "{b}: {c}" work), no pictures from the web. Leave colours, fonts and background to the page. Use it when a picture says more than a table.`,
  input: z.object({
    option: z
      .union([z.record(z.string(), z.unknown()), z.string().max(2_000_000)])
      .describe('{"xAxis": {"type": "category", "data": […]}, "yAxis": {}, "series": [{"type": "bar", "data": […]}]}'),
    title: z.string().max(200).describe('What the chart shows, in a few words').optional(),
    height: z.number().min(120).max(1000).describe('In pixels').optional(),
  }),
  readOnly: true,
  deferred: true,
  group: 'preview',
  title: ({ title }) => title ?? 'Chart',
  execute({ option: given, title }) {
    const option = typeof given === 'string' ? parsed(given) : given
    const problem = chartProblem(option)
    if (problem !== undefined) throw new Error(`The chart is not shown. ${problem}`)
    const { series } = option as ChartOption
    return { ok: true, series: Array.isArray(series) ? series.length : 1, title }
  },
  display: ({ title }) => ({ title: title ?? 'Chart' }),
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`The option is not JSON: ${(error as Error).message}. Give it as an object.`, { cause: error })
  }
}
