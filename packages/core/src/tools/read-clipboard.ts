import { z } from 'zod'
import { spill } from '../files/temporary-files.ts'
import { askPage, personTimeoutSec } from '../page/ask-page.ts'
import { formatCount } from '../text/format.ts'
import { defineTool, withModelText } from '../tool/tool.ts'

const maxCharacters = 30_000

export default defineTool({
  description: `Asks the person to share the text that is in their clipboard: they click in the page, or decline; they have ten minutes where "timeoutSec" says nothing else. Use it when they speak of something that they have copied.`,
  input: z.object({
    reason: z.string().max(500).describe('What it is wanted for, in words for the person').optional(),
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
    if (text === '') return withModelText(output, 'The clipboard holds no text.')
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
