import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { endpoints } from './endpoint.ts'

const tabIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/)

const tabSchema = z.strictObject({
  clientId: tabIdSchema.describe('the browser'),
  tabId: tabIdSchema.describe('the tab in that browser'),
  actions: z.array(z.string().min(1).max(50)).max(50).describe('actions that the page supports'),
  notes: z
    .record(z.string().min(1).max(50), z.array(z.string().min(1).max(500)).max(30))
    .optional()
    .describe('by action: lines to add to the description of its tool'),
  sessionId: idSchema.nullable().optional().describe('the visible session'),
  alive: z.array(tabIdSchema).max(500).optional().describe('the open tabs of this browser, if it knows them'),
  closed: z.boolean().optional().describe('the tab is closing or reloading'),
})

const pageCallSchema = z.object({
  askId: z.string(),
  sessionId: z.string(),
  toolCallId: z.string(),
  toolName: z.string(),
  action: z.string(),
  input: z.unknown(),
  title: z.string(),
  byPerson: z.boolean().describe('true if it needs a click by the user'),
  createdAt: z.number(),
  timeoutMs: z.number().nullable(),
})
export type PageCall = z.infer<typeof pageCallSchema>

export const tabEndpoints = endpoints({
  'POST /ai/tabs': {
    access: { on: 'workspace', right: 'read' },
    summary:
      'Announces an open page and the actions it supports, at least once a minute. Returns the tool calls it must execute.',
    body: tabSchema,
    scoped: true,
    answers: {
      200: z.object({
        calls: z.array(pageCallSchema).describe('tool calls assigned to this tab'),
        others: z.number().describe('how many are assigned to other tabs'),
      }),
    },
  },
})

export const toolAckEndpoints = endpoints({
  'POST /ai/tools/ack': {
    access: { on: 'session', right: 'write' },
    summary: 'Reports the outcome of a tool call that a page executed. An early report is kept for 30 seconds.',
    body: z.strictObject({
      sessionId: idSchema,
      clientId: z.string().min(1).max(200),
      toolCallId: z.string().min(1).max(200),
      status: z.enum(['success', 'failed']),
      output: z.unknown().optional(),
      errorText: z.string().max(20_000).optional(),
    }),
    scoped: true,
    answers: {
      200: z.object({
        result: z.enum(['resolved', 'stored']).describe('stored: the tool call does not wait for it yet'),
      }),
      403: 'ForeignClient',
      404: 'SessionNotFound',
      409: 'AskClosed',
      413: 'AnswerTooLarge',
      429: 'TooManyAnswers',
    },
  },
})

export const readerEndpoints = endpoints({
  'POST /ai/reader': {
    access: { on: 'self', right: 'write' },
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
