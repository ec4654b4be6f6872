import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const messageIdSchema = z.string().min(1).max(64)

const branchChangesSchema = z.object({
  files: z
    .array(z.string())
    .describe('changed, created, and removed files, each once; relative to the workspace if inside it'),
  commands: z.number().describe('commands that may have changed other files'),
})
export type BranchChanges = z.infer<typeof branchChangesSchema>

export const changeEndpoints = endpoints({
  'GET /ai/sessions/:id/changes': {
    summary:
      'Lists files that a branch changed, including its sub-agents, and counts commands that may have changed others. ?leaf ends the branch (default: the newest). ?after names the message to start after.',
    query: z.object({ leaf: messageIdSchema.optional(), after: messageIdSchema.optional() }),
    scoped: true,
    answers: { 200: branchChangesSchema, 404: 'SessionNotFound, MessageNotFound' },
  },
})
