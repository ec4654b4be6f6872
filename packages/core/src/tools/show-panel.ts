import { z } from 'zod'
import { askPage, timeoutSec } from '../page/ask-page.ts'
import { panelContent, panelFile } from '../page/panel-content.ts'
import { defineTool } from '../tool/tool.ts'

/** Kinds whose `target` names the content. */
const named = ['file', 'preview', 'terminal', 'agent']
const maxTextLength = 200_000
const maxDataLength = 50_000

export default defineTool({
  description: `Shows the person something in a panel beside the chat: a "file" of the workspace; its "preview" (HTML, SVG, Markdown, CSV, XLSX, Mermaid); a "diff" of a file (as it is, against what it was before this session changed it, or against "before"), or of two texts; a "chart"; the live output of a background command ("terminal"); the conversation of an "agent". It is for the person to see; you learn nothing from it. For a page of the web use OpenUrl.`,
  input: z.object({
    kind: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,49}$/)
      .describe('file, preview, diff, chart, terminal, agent, or another panel that is named above'),
    target: z
      .string()
      .min(1)
      .max(2000)
      .describe(
        'The path of the file; the id of the background command, terminal or agent; of a chart the path of a JSON file with its option, or the title that ChartRender showed it with',
      )
      .optional(),
    line: z.int().positive().describe('Of a file: the line to show').optional(),
    before: z
      .string()
      .max(maxTextLength)
      .describe('Of a diff: the earlier text, where it is not what the file was')
      .optional(),
    after: z
      .string()
      .max(maxTextLength)
      .describe('Of a diff: the later text, where it is not the file as it is')
      .optional(),
    option: z
      .union([z.record(z.string(), z.unknown()), z.string().max(maxTextLength)])
      .describe('Of a chart: an option of Apache ECharts as plain JSON, as for ChartRender')
      .optional(),
    data: z
      .record(z.string(), z.unknown())
      .describe('Of another panel: what it is to show, as its description says')
      .optional(),
    title: z.string().max(200).optional(),
    timeoutSec,
  }),
  readOnly: true,
  deferred: true,
  group: 'page',
  pageAction: 'show-panel',
  touches(input) {
    const path = panelFile(input)
    return path === undefined ? [] : [{ kind: 'read', path }]
  },
  validate({ kind, target, before, after, option, data }) {
    if (kind === 'browser') return 'A page of the web is opened with OpenUrl.'
    if (named.includes(kind) && target === undefined) return `Say which ${kind} to show: give "target".`
    if (kind === 'diff' && target === undefined && (before === undefined || after === undefined))
      return 'Give the path of a file as "target", or two texts as "before" and "after".'
    if (kind === 'chart' && target === undefined && option === undefined)
      return 'Give the "option" of the chart, or as "target" a JSON file or the title of a chart that was shown.'
    if (JSON.stringify(data ?? {}).length > maxDataLength) return `"data" has more than ${maxDataLength} characters.`
    return undefined
  },
  title: panelTitle,
  async execute(input, ctx) {
    const { kind, target, line, data, title, timeoutSec: seconds } = input
    const content = await panelContent(input, ctx)
    const given = Object.entries({ kind, target, line, data, title, content }).filter(
      ([, value]) => value !== undefined,
    )
    const request = {
      action: 'show-panel',
      input: Object.fromEntries(given),
      title: panelTitle(input),
      timeoutSec: seconds,
    }
    const shown = await askPage(
      ctx,
      request,
      z.object({ viewKey: z.string().max(4000), inSight: z.boolean().optional() }),
    )
    return { ...shown, ...(content !== undefined && { content }) }
  },
  toModel: ({ viewKey, inSight }) =>
    `The panel ${viewKey} is open.${inSight === false ? ' The person is looking at something else, and finds it there.' : ''}`,
  display: (_, input) => ({ title: 'Showed a panel', summary: panelText(input) }),
})

function panelTitle(input: { kind: string; target?: string | undefined; title?: string | undefined }): string {
  return `Show ${panelText(input)}`
}

function panelText({ kind, target, title }: { kind: string; target?: string | undefined; title?: string | undefined }) {
  return [kind, target ?? title].filter((word) => word !== undefined).join(' ')
}
