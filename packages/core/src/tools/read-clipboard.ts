import { z } from 'zod'
import { spill } from '../files/temporary-files.ts'
import { askPage, personTimeoutSec } from '../page/ask-page.ts'
import { formatCount } from '../text/format.ts'
import { defineTool, withModelText } from '../tool/tool.ts'

const maxCharacters = 30_000

export default defineTool({
  description: `Asks the user to share the text in their clipboard. They click in the page or decline, and have ten minutes unless "timeoutSec" is set. Use it when they mention something they copied.`,
  input: z.object({
    reason: z.string().max(500).describe('Why you need it, shown to the user').optional(),
    timeoutSec: personTimeoutSec,
  }),
  readOnly: false,
  concurrent: true,
  recover: 'rerun',
  // The click in the page is the approval.
  needsApproval: false,
  deferred: true,
  group: 'page',
  pageAction: 'read-clipboard',
  title: () => 'Read the clipboard',
  async execute({ reason, timeoutSec: seconds }, ctx) {
    const request = {
      action: 'read-clipboard',
      input: { reason },
      title: 'Share the clipboard?',
      summary: reason,
      timeoutSec: seconds,
      byPerson: true as const,
    }
    const { text } = await askPage(ctx, request, z.object({ text: z.string().max(1_000_000) }))
    const output = { text: text.slice(0, maxCharacters).toWellFormed(), characters: text.length }
    if (text === '') return withModelText(output, 'The clipboard contains no text.')
    if (text.length <= maxCharacters) return output
    const { preview, path } = await spill(ctx, text, 'clipboard')
    return withModelText({ ...output, path }, preview)
  },
  toModel: ({ text }) => text,
  display: ({ text, characters }) => ({
    title: 'Read the clipboard',
    summary: formatCount(characters, 'character'),
    content: { kind: 'file', path: 'clipboard', text },
  }),
})
