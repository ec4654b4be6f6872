import { z } from 'zod'
import type { LogItem } from '../run-log.ts'
import { endpoints } from './endpoint.ts'
import { storedMessageSchema } from './messages.ts'
import { storedSessionSchema } from './sessions.ts'

const runSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  agentId: z.string().nullable().describe('null for the agent of the session'),
  userMessageId: z.string().describe('the message to answer'),
  messageId: z.string().describe('the answer'),
  status: z.enum(['running', 'waiting', 'done', 'failed', 'aborted', 'interrupted']),
  request: z.record(z.string(), z.unknown()).describe('what resumes the run after a crash: model, agent, mode, limits'),
  fromNumber: z.number().describe('event numbers of the run are greater'),
  createdAt: z.number(),
  endedAt: z.number().nullable(),
  frames: z
    .array(
      z.object({
        runId: z.string(),
        seq: z.number(),
        from: z.number(),
        to: z.number(),
        items: z.array(z.custom<LogItem>()).describe('chunks of the stream, and private notes of the run'),
      }),
    )
    .describe('the log of the run'),
})

/** A message of the AI SDK's `LanguageModelV4Prompt`. */
const promptMessageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.unknown(),
  providerOptions: z.record(z.string(), z.unknown()).optional(),
})

export const debugEndpoints = endpoints({
  'GET /ai/debug/:sessionId': {
    summary: 'Returns the messages up to one, the prompt that the model got to answer it, and the log of that run.',
    query: z.object({ messageId: z.string().max(64).optional() }),
    scoped: true,
    answers: {
      200: z.object({
        session: storedSessionSchema,
        chain: z.array(storedMessageSchema).describe('from the first message to this one'),
        projection: z.array(promptMessageSchema).describe('the prompt, in the format of the AI SDK'),
        runs: z.array(runSchema).describe('the runs that wrote the last answer, newest first'),
        strays: z.array(storedMessageSchema).describe('messages that no branch reaches'),
      }),
      404: 'SessionNotFound, MessageNotFound',
    },
  },
})
