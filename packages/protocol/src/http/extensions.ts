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

const hookSchema = z.object({
  event: z.enum(['before-call', 'after-call', 'ask', 'run-end']),
  source: z.string().describe('the file that defines it'),
  scope: z.enum(['home', 'project']),
  match: z.array(z.string()).readonly().optional().describe('rules that select its calls; absent: all calls'),
  command: z.string().optional().describe('absent for a module'),
  timeoutMs: z.number(),
})
export type HookInfo = z.infer<typeof hookSchema>

export const hookEndpoints = endpoints({
  'GET /ai/hooks': {
    summary: 'Lists the hooks that are active here, and the files that could not be loaded.',
    scoped: true,
    answers: { 200: z.object({ hooks: z.array(hookSchema), problems: z.array(fileProblemSchema) }) },
  },
})
