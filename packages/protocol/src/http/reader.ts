import { z } from 'zod'
import { endpoints } from './endpoint.ts'

export const readerEndpoints = endpoints({
  'POST /ai/reader': {
    summary: 'Fetches a web page without cookies, under the same guard as WebFetch, and returns its readable text.',
    body: z.strictObject({
      url: z.string().min(1).max(2000),
      here: z.boolean().optional().describe('the user wants a page of this machine'),
    }),
    answers: {
      200: z.object({
        page: z.object({
          url: z.string().describe('after redirects'),
          status: z.number(),
          title: z.string(),
          mediaType: z.string(),
          text: z.string().describe('Markdown, or plain text as received; empty if there is none'),
          isMarkdown: z.boolean(),
          note: z.string().optional().describe('why the text is empty or incomplete'),
        }),
      }),
      422: 'PageUnreadable',
    },
  },
})
