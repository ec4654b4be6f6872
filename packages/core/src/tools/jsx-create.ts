import { Buffer } from 'node:buffer'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { uiComponents } from '@troupe/protocol'
import { z } from 'zod'
import { changeFile } from '../files/change-file.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { keepVersion } from '../page/artifacts.ts'
import { checkJsx, jsxProblemText, maxJsxLength, pageNotes, pageTitle } from '../page/check-jsx.ts'
import { utf8Format } from '../text/encoding.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

export default defineTool({
  description: `Shows the user a page: a report, dashboard, landing page, table or drawing, or a small app such as a calculator, quiz or game. Give JSX as text: one element, or a source with "export default function App()". It runs in a frame without network:
- HTML and inline SVG tags with className (Tailwind CSS classes, with sm: md: lg: hover: dark: and w-[37px]), style and other attributes.
- React: components, state, effects, refs and handlers. The user first sees the initial state and clicks Run to use it. So the first render must not need the browser: use window, canvas, timers and while loops only in effects and handlers.
- Icons by their lucide name, such as <TrendingUp className="w-4 h-4" />. Charts: <BarChart data={rows} x="month" y="sales" />, also LineChart, AreaChart, PieChart.
- Ready-made components: ${catalogue()}
No images from the web, no requests, no imports of other libraries. localStorage lasts until the page is closed. The first heading is the page's title. To give the user a new version of a page, use the same title, or the same id on the outermost element.
Example: <Card title="Week 12"><Stat label="Visits" value="1,204" change="+8%" tone="good" /><Text>Best week so far.</Text></Card>
Invalid JSX is saved to a file but not shown. The error names the file; fix it there with ApplyPatch.`,
  input: z.string().min(1).max(maxJsxLength),
  // Writes only its own preview.
  readOnly: false,
  needsApproval: false,
  deferred: true,
  group: 'preview',
  title: () => 'Preview',
  async execute(source, ctx) {
    const file = await writePreview(source, ctx)
    const checked = await checkJsx(source)
    if (checked.problem !== undefined)
      throw new Error(
        `The JSX is not valid: ${jsxProblemText(checked.problem)} It is saved in ${file}, marked as invalid and not shown. Fix it there with ApplyPatch or Edit instead of creating it again.`,
      )
    const failed = await keepVersion(ctx, file)
    const notes = [...(await pageNotes(checked)), ...(failed === undefined ? [] : [failed])]
    const output = { ok: true as const, path: file, messageId: ctx.messageId }
    return withModelText(output, JSON.stringify({ ...output, ...(notes.length > 0 && { notes }) }))
  },
  display: (_, source) => ({ title: pageTitle(source) ?? 'Preview' }),
})

/** Each call writes a new file, so earlier previews remain. */
async function writePreview(source: string, ctx: ToolContext): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${ctx.messageId}.jsx` : `${ctx.messageId}-${number}.jsx`
    const file = path.join(ctx.state.jsxFolder, name)
    if (existsSync(file)) continue
    const target = resolvePath(ctx, file, { for: 'write' })
    await changeFile(ctx, target, (before) => {
      if (before !== undefined) throw new Error(`${target.shown} was just created by someone else. Try again.`)
      return { bytes: Buffer.from(source), format: utf8Format, known: 'all' }
    })
    return target.path
  }
}

function catalogue(): string {
  const own = Object.entries(uiComponents).filter(([name, { form }]) => form !== true && /^[A-Z]/.test(name))
  const lines = own.map(([name, { attributes }]) => {
    const names = Object.entries(attributes).flatMap(([attribute, kind]) => {
      if (kind === 'texts' || kind === 'rows') return []
      return [typeof kind === 'string' ? attribute : `${attribute}: ${kind.join('|')}`]
    })
    return names.length === 0 ? name : `${name}(${names.join(', ')})`
  })
  return `${lines.join(', ')}.`
}
