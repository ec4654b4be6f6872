import { z } from 'zod'
import { fileProblemSchema } from './common.ts'
import { endpoints } from './endpoint.ts'

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
