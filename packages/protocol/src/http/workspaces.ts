import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const workspaceSchema = z.object({
  id: z.string(),
  path: z.string(),
  trusted: z.boolean(),
  createdAt: z.number(),
})

export const workspaceEndpoints = endpoints({
  'GET /ai/workspace': {
    summary: "Returns the server's folder, or the one that a program names, and whether it is trusted.",
    query: z.object({ path: z.string().max(4096).optional() }),
    scoped: true,
    answers: { 200: z.object({ workspace: workspaceSchema }), 400: 'BadWorkspace' },
  },
  'PATCH /ai/workspace': {
    summary:
      'Trusts the folder, or stops trusting it. In a trusted folder its own tools, agents, rules, hooks, skills, commands and notes take effect, and its MCP servers can be trusted.',
    body: z.strictObject({ trusted: z.boolean() }),
    scoped: true,
    answers: { 200: z.object({ workspace: workspaceSchema }) },
  },
})

const problemSchema = z.object({
  line: z.number().describe('1-based'),
  column: z.number().describe('1-based, in UTF-16 units'),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  code: z.string().optional(),
  source: z.string().optional(),
})

export const codeEndpoints = endpoints({
  'GET /ai/language-servers': {
    summary: 'Lists the language servers that were started in the folder.',
    scoped: true,
    answers: {
      200: z.object({
        servers: z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            root: z.string().describe('the project it serves'),
            state: z.enum(['starting', 'running', 'failed']),
            problem: z.string().optional().describe('reason of a failure'),
          }),
        ),
      }),
    },
  },
  'POST /ai/language-servers/problems': {
    summary: 'Returns the errors and warnings of a file, as it is on disk or with the text of an editor.',
    body: z.strictObject({
      path: z.string().min(1).max(4096).describe('relative to the folder, or absolute'),
      text: z
        .string()
        .max(2 << 20)
        .optional(),
    }),
    scoped: true,
    answers: {
      200: z.object({
        problems: z
          .array(problemSchema)
          .nullable()
          .describe('null if the folder is not trusted, no language server knows the file, or it is too slow'),
      }),
      400: 'BadRequest',
    },
  },
})
