import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const importReportSchema = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      title: z.string(),
      source: z.string().describe('the program that the chat comes from'),
      state: z
        .enum(['added', 'grown', 'known'])
        .describe('grown: messages were added to an existing session; known: nothing new'),
      added: z.number().describe('messages'),
      conflicts: z.number().describe('existing messages with different content, which stay unchanged'),
    }),
  ),
  problems: z
    .array(z.object({ where: z.string(), message: z.string() }))
    .describe('items that could not be imported; the rest was'),
})
export type FileImportReport = z.infer<typeof importReportSchema>

const importProgressSchema = z.object({ bytes: z.number(), of: z.number(), sessions: z.number() })
export type ImportProgress = z.infer<typeof importProgressSchema>

/** A line of the answer to an import. The last one has a report or an error. */
export const importLineSchema = z.union([
  z.object({ progress: importProgressSchema }),
  z.object({ report: importReportSchema }),
  z.object({ error: z.object({ name: z.string(), message: z.string() }) }),
])
export type ImportLine = z.infer<typeof importLineSchema>

export const transferEndpoints = endpoints({
  'GET /ai/sessions/:id/export': {
    linkable: true,
    summary:
      'Downloads a session as Markdown, as an HTML page that replays it (both one branch), or as JSON that can be imported (all branches, unless ?branch names one).',
    query: z.object({
      format: z.enum(['md', 'json', 'html']).optional().describe('default: md'),
      branch: z.string().max(64).optional().describe('the last message of the branch to export'),
      lang: z
        .string()
        .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/)
        .max(35)
        .optional()
        .describe('language of headings and labels: en or zh'),
      print: z.enum(['1']).optional().describe('with format=html: shows the page, which then prints itself'),
    }),
    scoped: true,
    gives: ['bytes'],
    answers: { 200: 'the file', 404: 'SessionNotFound, MessageNotFound' },
  },
  'POST /ai/sessions/import': {
    summary:
      'Imports an export of Troupe, ChatGPT, Claude, LibreChat, or Open WebUI: a zip or JSON file of at most 2 GiB, sent as raw bytes. Returns lines of JSON: {progress} while it works, then {report} or {error}.',
    body: 'upload',
    scoped: true,
    gives: ['bytes'],
    answers: {
      200: 'lines of {progress: {bytes, of, sessions}}, then {report: {sessions, problems}} or {error}',
      413: 'BodyTooLarge',
    },
  },
})
