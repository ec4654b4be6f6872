import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { endpoints } from './endpoint.ts'
import { ruleTextsSchema } from './rules.ts'

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
