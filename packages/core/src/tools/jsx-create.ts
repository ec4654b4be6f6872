import { Buffer } from 'node:buffer'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { uiComponents } from '@troupe/protocol'
import { z } from 'zod'
import { changeFile } from '../files/change-file.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { checkJsx, jsxProblemText, maxJsxLength } from '../page/check-jsx.ts'
import { utf8Format } from '../text/encoding.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

export default defineTool({
  description: `Shows the user a small page, such as a report, comparison or overview. Give plain JSX as text: one root element, only these components, all values in quotes:
${catalogue()}
No expressions ({…}), spreads, className, style or handlers. In text, write braces as &#123; and &#125;.
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
    const { problem } = checkJsx(source)
    if (problem !== undefined)
      throw new Error(
        `The JSX is not valid: ${jsxProblemText(problem)} It is saved in ${file}, marked as invalid and not shown. Fix it there with ApplyPatch or Edit instead of creating it again.`,
      )
    return withModelText(
      { ok: true as const, path: file, messageId: ctx.messageId },
      JSON.stringify({ ok: true, path: file, messageId: ctx.messageId }),
    )
  },
  display: () => ({ title: 'Preview' }),
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
  const tags = Object.keys(uiComponents).filter((name) => /^[a-z]/.test(name))
  return `${lines.join(', ')}; and, without attributes, ${tags.join(' ')}.`
}
