import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const taskSchema = z.object({
  id: z.string(),
  kind: z.enum(['command', 'terminal']),
  command: z.string(),
  status: z.enum(['running', 'ended', 'stopped', 'timed-out']),
  exitCode: z.number().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
})
export type TaskInfo = z.infer<typeof taskSchema>

const oneTaskSchema = z.object({ task: taskSchema })

export const taskEndpoints = endpoints({
  'GET /ai/sessions/:id/tasks': {
    summary: 'Lists the background commands and terminals of a session and its sub-agents, including ended ones.',
    scoped: true,
    answers: { 200: z.object({ tasks: z.array(taskSchema) }), 404: 'SessionNotFound' },
  },
  'GET /ai/sessions/:id/tasks/:taskId': {
    summary: 'Returns the output of a background command from position ?from. With ?wait, waits for more output.',
    query: z.object({
      from: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      wait: z
        .string()
        .regex(/^\d{1,6}$/)
        .optional()
        .describe('milliseconds, at most 20,000'),
    }),
    scoped: true,
    answers: {
      200: oneTaskSchema.extend({
        text: z.string(),
        next: z.number().describe('the position after the text, for the next ?from'),
        lost: z.number().describe('characters after ?from that are no longer kept'),
      }),
      404: 'SessionNotFound, TaskNotFound',
    },
  },
  'POST /ai/sessions/:id/tasks/:taskId/stop': {
    summary: 'Stops a background command and everything it started.',
    scoped: true,
    answers: { 200: oneTaskSchema, 404: 'SessionNotFound, TaskNotFound' },
  },
})
