import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { endpoints, fileProblemSchema } from './endpoint.ts'
import { ruleTextsSchema } from './rules.ts'

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  status: z.enum(['enable', 'disable']),
  readOnly: z.boolean(),
  group: z.string(),
  inputSchema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema, only with ?schemas=1'),
})

export const toolEndpoints = endpoints({
  'GET /ai/tools': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists all tools, whether they are enabled, and the files that could not be loaded.',
    query: z.object({ schemas: z.enum(['1']).optional() }),
    scoped: true,
    answers: { 200: z.object({ tools: z.array(toolSchema), problems: z.array(fileProblemSchema) }) },
  },
})

const toolCallResultSchema = z.object({
  state: z.enum(['output-available', 'output-error', 'output-denied']),
  output: z.unknown(),
  text: z.string().describe('the result as a model would see it'),
})
export type ToolCallResult = z.infer<typeof toolCallResultSchema>

export const toolCallEndpoints = endpoints({
  'POST /ai/tools/:tool/call': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Runs one tool call without a model, under the rules. Calls that need approval are denied.',
    scoped: true,
    body: z.strictObject({
      input: z.unknown(),
      sessionId: idSchema.describe('calls with the same id share a working directory and the files they have read'),
      rules: z.strictObject({ allow: ruleTextsSchema, ask: ruleTextsSchema, deny: ruleTextsSchema }).optional(),
      stream: z.boolean().optional().describe('stream data-tool-progress, then data-call-result with the result'),
    }),
    gives: ['json', 'stream'],
    answers: { 200: z.object({ result: toolCallResultSchema }), 404: 'ToolNotFound, SessionNotFound' },
  },
})

const hookEventSchema = z.enum(['before-call', 'after-call', 'ask', 'run-end'])

const hookSchema = z.object({
  id: z.string().optional().describe('to change or delete it; absent for a module, which is a file'),
  event: hookEventSchema,
  source: z.string().describe('the file that defines it'),
  scope: z.enum(['home', 'project']),
  match: z.array(z.string()).readonly().optional().describe('rules that select its calls; absent: all calls'),
  command: z.string().optional().describe('absent for a module'),
  timeoutMs: z.number(),
  enabled: z.boolean(),
})
export type HookInfo = z.infer<typeof hookSchema>

const hookFields = {
  event: hookEventSchema,
  command: z.string().min(1).max(20_000).describe('run by bash in the workspace, with JSON on standard input'),
  match: z
    .array(z.string().min(1).max(2000))
    .max(1000)
    .nullable()
    .optional()
    .describe('rules for the tool calls it applies to; null: all'),
  timeoutMs: z.int().positive().max(600_000).nullable().optional().describe('null: the default'),
  enabled: z.boolean().optional(),
}
const hookDraftSchema = z.strictObject(hookFields)
export type HookDraft = z.infer<typeof hookDraftSchema>

const changedHookSchema = z.object({ hook: hookSchema })

export const hookEndpoints = endpoints({
  'GET /ai/hooks': {
    access: { on: 'workspace', right: 'manage' },
    summary: 'Lists hooks in the home folder and in the folder, if it is trusted, and files that could not be loaded.',
    scoped: true,
    answers: { 200: z.object({ hooks: z.array(hookSchema), problems: z.array(fileProblemSchema) }) },
  },
  'POST /ai/hooks': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Adds a command as a hook to config.json in the home folder, or in the folder if it is trusted.',
    scoped: true,
    body: hookDraftSchema.extend({ scope: z.enum(['home', 'project']) }),
    answers: {
      201: changedHookSchema,
      400: 'BadConfig',
      403: 'FolderNotTrusted',
      409: 'FileNotEditable, FileChanged',
      422: 'BadHook',
    },
  },
  'PATCH /ai/hooks/:id': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Changes, enables or disables a hook. Its id changes with its content.',
    scoped: true,
    body: hookDraftSchema.partial(),
    answers: {
      200: changedHookSchema,
      400: 'BadConfig',
      403: 'FolderNotTrusted',
      404: 'HookNotFound',
      409: 'FileNotEditable, FileChanged',
      422: 'BadHook',
    },
  },
  'DELETE /ai/hooks/:id': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Deletes a hook.',
    scoped: true,
    answers: {
      200: z.object({ deleted: z.string() }),
      400: 'BadConfig',
      403: 'FolderNotTrusted',
      404: 'HookNotFound',
      409: 'FileNotEditable, FileChanged',
    },
  },
})
