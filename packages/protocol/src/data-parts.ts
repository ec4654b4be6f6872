import { z } from 'zod'
import { idSchema } from './ids.ts'

/**
 * Our own `data-*` parts. `stored` parts are saved in the message; the others are only streamed. A tool may emit other
 * names, which fold and render generically.
 */
export const dataParts = {
  'sub-agent-start': {
    stored: false,
    about: 'a sub-agent began',
    schema: z.object({ agentId: idSchema, parentAgentId: idSchema.nullable(), name: z.string(), task: z.string() }),
  },
  'sub-agent-chunk': {
    stored: false,
    about: 'chunks of a sub-agent, flushed every 25 ms',
    schema: z.object({ agentId: idSchema, chunks: z.array(z.unknown()) }),
  },
  'sub-agent-end': {
    stored: false,
    about: 'a sub-agent ended',
    schema: z.object({ agentId: idSchema, status: z.string() }),
  },
  ask: {
    stored: true,
    about: "a question, plan or browser action that waits for an answer (approvals use the SDK's own chunks)",
    schema: z.object({
      id: idSchema,
      kind: z.enum(['question', 'plan', 'browser']),
      toolCallId: z.string(),
      toolName: z.string(),
      title: z.string(),
      content: z.unknown(),
    }),
  },
  'ask-answer': {
    stored: true,
    about: 'the answer to such an ask',
    schema: z.object({ id: idSchema, toolCallId: z.string(), answer: z.unknown() }),
  },
  skill: {
    stored: true,
    about: 'a skill the user put into a message; without content if the branch already has it',
    schema: z.object({
      name: z.string(),
      path: z.string(),
      scope: z.string(),
      content: z.string(),
      allowedTools: z.array(z.string()).optional(),
    }),
  },
  command: {
    stored: true,
    about: "the user's own command, or a prompt of an MCP server, that a message began with, and its text",
    schema: z.object({
      name: z.string(),
      path: z.string(),
      scope: z.string(),
      content: z.string(),
      agent: z.string().optional(),
      model: z.string().optional(),
      allowedTools: z.array(z.string()).optional(),
      pictures: z.array(z.object({ mediaType: z.string(), blob: z.string() })).optional(),
    }),
  },
  mention: {
    stored: true,
    about: 'a file, folder or agent that a message mentions with @, or why it was not included',
    schema: z.object({
      kind: z.enum(['file', 'folder', 'agent', 'refused']),
      name: z.string(),
      path: z.string().optional(),
      lines: z.string().optional(),
      content: z.string(),
    }),
  },
  hint: {
    stored: true,
    about: 'a hint for the user about their message; models do not get it',
    schema: z.object({ text: z.string() }),
  },
  compaction: {
    stored: true,
    about: 'the model gets this summary instead of everything up to this step; `off` undoes it',
    schema: z.object({
      id: idSchema,
      upTo: z.object({ messageId: idSchema, step: z.int().nonnegative() }),
      summary: z.string(),
      off: z.boolean().optional(),
    }),
  },
  trim: {
    stored: true,
    about: 'for tool results up to this step, the model gets paths of files in the folder',
    schema: z.object({
      id: idSchema,
      upTo: z.object({ messageId: idSchema, step: z.int().nonnegative() }),
      folder: z.string(),
    }),
  },
  'image-description': {
    stored: true,
    about: 'an image in words, for models that cannot see it; `problem` if it could not be described',
    schema: z.object({
      sha256: z.string().describe('of the blob'),
      name: z.string(),
      model: z.string().describe('the model that wrote it'),
      text: z.string(),
      problem: z.string().optional(),
    }),
  },
  branch: {
    stored: true,
    about: 'the message was an edit: it became a new sibling with this id',
    schema: z.object({ messageId: idSchema, replaces: idSchema }),
  },
  comparison: {
    stored: false,
    about: 'several models answer the message: their answers in column order, and the one the user continued with',
    schema: z.object({
      messageId: idSchema,
      answers: z.array(z.object({ messageId: idSchema, model: z.string() })),
      picked: idSchema.optional(),
    }),
  },
  column: {
    stored: false,
    about: 'a chunk of one of several answers; the event id belongs to the log of that answer',
    schema: z.object({ messageId: idSchema, chunk: z.unknown() }),
  },
  'session-title': { stored: false, about: 'the session has a new title', schema: z.object({ title: z.string() }) },
  usage: {
    stored: false,
    about: 'tokens used so far in this run',
    schema: z.object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      totalTokens: z.number(),
      contextTokens: z.number().optional().describe('fill of the context window after the latest model call'),
    }),
  },
  'ui-event': {
    stored: false,
    about: 'an event for the page that needs no acknowledgement',
    schema: z.object({ name: z.string(), data: z.unknown() }),
  },
  'tool-progress': {
    stored: false,
    about: 'progress of a running tool',
    schema: z.object({ toolCallId: z.string(), delta: z.unknown() }),
  },
  retry: {
    stored: false,
    about: 'the model call failed before its first byte and is retried',
    schema: z.object({ attempt: z.int(), delayMs: z.number(), message: z.string() }),
  },
  'media-generate-start': {
    stored: false,
    about: 'a media task began',
    schema: z.looseObject({ taskId: z.string(), toolCallId: z.string().optional(), model: z.string().optional() }),
  },
  'media-generate-progress': {
    stored: false,
    about: 'a media task continues; `progress`, from 0 to 1, only if the provider reports it',
    schema: z.looseObject({
      taskId: z.string(),
      toolCallId: z.string().optional(),
      elapsedMs: z.number().optional(),
      progress: z.number().min(0).max(1).optional(),
    }),
  },
  'media-generate-end': { stored: true, about: 'a media task ended', schema: z.looseObject({ taskId: z.string() }) },
  'media-generate-error': {
    stored: false,
    about: 'a media task failed',
    schema: z.looseObject({
      taskId: z.string().optional(),
      errorCode: z.enum(['login_required', 'insufficient_credits', 'no_model', 'generation_failed']),
      message: z.string(),
    }),
  },
} as const satisfies Record<string, { stored: boolean; about: string; schema: z.ZodType }>

export type DataParts = { [K in keyof typeof dataParts]: z.infer<(typeof dataParts)[K]['schema']> } & {
  [name: string]: unknown
}

/** True if a data part of this name is stored in the message by default. */
export function isStoredData(name: string): boolean {
  return Object.hasOwn(dataParts, name) ? dataParts[name as keyof typeof dataParts].stored : true
}
