import { z } from 'zod'
import { askPage, timeoutSec } from '../page/ask-page.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Tells the person something that they should see even when they look elsewhere: a notification of their browser where they allow those, else a notice in the page. Use it sparingly, at the end of long work or when something needs them.`,
  input: z.object({
    title: z.string().min(1).max(120),
    body: z.string().max(500).optional(),
    timeoutSec,
  }),
  readOnly: false,
  concurrent: true,
  recover: 'rerun',
  needsApproval: false,
  deferred: true,
  group: 'page',
  pageAction: 'notify',
  title: ({ title }) => `Notify: ${title}`,
  execute({ title, body, timeoutSec: seconds }, ctx) {
    const request = {
      action: 'notify',
      input: { title, body },
      title: `Notify: ${title}`,
      timeoutSec: seconds,
    }
    return askPage(ctx, request, z.object({ shown: z.enum(['notification', 'notice']) }))
  },
  toModel: ({ shown }) =>
    shown === 'notification'
      ? 'The browser has notified the person.'
      : 'It stands in the page: the browser does not notify, or the person is looking at it.',
  display: (_, { title, body }) => ({ title: 'Notified', summary: [title, body].filter(Boolean).join(': ') }),
})
