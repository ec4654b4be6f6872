import { type ChartOption, chartProblem } from '@troupe/protocol'
import { z } from 'zod'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Shows the user a chart. "option" is an Apache ECharts option as plain JSON: series with data, axes, legend, tooltip. Data only: no functions, no HTML in formatters (templates such as "{b}: {c}" work), no images from the web. Leave colors, fonts and background to the page. Use it when a chart says more than a table.`,
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
    if (problem !== undefined) throw new Error(`The chart was not shown. ${problem}`)
    const { series } = option as ChartOption
    return { ok: true, series: Array.isArray(series) ? series.length : 1, title }
  },
  display: ({ title }) => ({ title: title ?? 'Chart' }),
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`"option" is not valid JSON: ${(error as Error).message}. Send it as an object.`, { cause: error })
  }
}
