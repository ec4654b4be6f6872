import { z } from 'zod'
import { askPage, timeoutSec } from '../page/ask-page.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Notifies the user even when they are not looking at the chat: as a browser notification if they allow it, otherwise as a notice in the page. Use it sparingly, when long work ends or something needs their attention.`,
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
      ? 'The user got a browser notification.'
      : 'The notice is shown in the page, because the user is looking at it or browser notifications are off.',
  display: (_, { title, body }) => ({ title: 'Notified', summary: [title, body].filter(Boolean).join(': ') }),
})
