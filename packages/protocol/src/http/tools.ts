import { z } from 'zod'
import { fileProblemSchema } from './common.ts'
import { endpoints } from './endpoint.ts'

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
