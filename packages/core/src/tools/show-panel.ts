import { z } from 'zod'
import { askPage, timeoutSec } from '../page/ask-page.ts'
import { panelContent, panelFile } from '../page/panel-content.ts'
import { defineTool } from '../tool/tool.ts'

/** Kinds whose `target` names the content. */
const named = ['file', 'preview', 'terminal', 'agent']
const maxTextLength = 200_000
const maxDataLength = 50_000

export default defineTool({
  description: `Shows the user something in a panel next to the chat: a workspace "file"; its "preview" (HTML, SVG, Markdown, CSV, XLSX, Mermaid); a "diff" of a file (its current text against the text before this chat changed it, or against "before") or of two texts; a "chart"; the live output of a background command ("terminal"); the conversation of an "agent". Only the user sees it; nothing is returned to you. For a web page, use OpenUrl.`,
  input: z.object({
    kind: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,49}$/)
      .describe('file, preview, diff, chart, terminal, agent, or another panel listed above'),
    target: z
      .string()
      .min(1)
      .max(2000)
      .describe(
        'The path of the file; the id of the background command, terminal or agent; for a chart, the path of a JSON file with its option, or the title it has in ChartRender',
      )
      .optional(),
    line: z.int().positive().describe('For a file: the line to show').optional(),
    before: z
      .string()
      .max(maxTextLength)
      .describe('For a diff: the earlier text, if it is not the previous text of the file')
      .optional(),
    after: z
      .string()
      .max(maxTextLength)
      .describe('For a diff: the later text, if it is not the current text of the file')
      .optional(),
    option: z
      .union([z.record(z.string(), z.unknown()), z.string().max(maxTextLength)])
      .describe('For a chart: an Apache ECharts option as plain JSON, as for ChartRender')
      .optional(),
    data: z
      .record(z.string(), z.unknown())
      .describe('For another panel: the data to show, as its description says')
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
    if (kind === 'browser') return 'To open a web page, use OpenUrl.'
    if (named.includes(kind) && target === undefined) return `Give the ${kind} to show as "target".`
    if (kind === 'diff' && target === undefined && (before === undefined || after === undefined))
      return 'Give a file path as "target", or two texts as "before" and "after".'
    if (kind === 'chart' && target === undefined && option === undefined)
      return 'Give the "option" of the chart, or a JSON file or the title of a chart already shown as "target".'
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
    return { ...shown, content }
  },
  toModel: ({ viewKey, inSight }) =>
    `The panel ${viewKey} is open.${inSight === false ? ' The user is looking at something else and will find it there.' : ''}`,
  display: (_, input) => ({ title: 'Showed a panel', summary: panelText(input) }),
})

function panelTitle(input: { kind: string; target?: string | undefined; title?: string | undefined }): string {
  return `Show ${panelText(input)}`
}

function panelText({ kind, target, title }: { kind: string; target?: string | undefined; title?: string | undefined }) {
  return [kind, target ?? title].filter((word) => word !== undefined).join(' ')
}
