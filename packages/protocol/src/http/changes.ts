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

const skippedSchema = z.object({ path: z.string(), reason: z.string() })

const revertedSchema = z.object({
  restored: z.array(z.string()),
  removed: z.array(z.string()).describe('files that did not exist before'),
  skipped: z.array(skippedSchema),
  revertId: z.string().describe('to undo it'),
})
export type Reverted = z.infer<typeof revertedSchema>

const hunkIdSchema = z.string().regex(/^[0-9a-f]{16}$/)

const changedFileSchema = z.object({
  path: z.string().describe('relative to the workspace if inside it'),
  change: z.enum(['created', 'changed', 'deleted']),
  diff: z.string().describe('unified hunks without file headers'),
  added: z.number(),
  removed: z.number(),
  cut: z.literal(true).optional().describe('the diff was too long; it cannot be used in parts'),
  note: z
    .enum(['binary', 'secret', 'lost', 'command', 'too-long', 'not-a-file'])
    .optional()
    .describe('the reason that there are no lines; "lost": the earlier content is no longer kept'),
  version: z.string().describe('hash of the file as it is now; empty if there is none'),
  hunks: z.array(z.object({ id: hunkIdSchema, from: z.number(), to: z.number() })),
  calls: z.array(z.string()).describe('tool calls that changed it and are not undone'),
})
export type ChangedFile = z.infer<typeof changedFileSchema>

const commandFileSchema = changedFileSchema.extend({
  comparedWith: z.literal('commit').optional().describe('the lines are against the last commit'),
})
export type CommandFile = z.infer<typeof commandFileSchema>

const turnSchema = z.object({
  messageId: z.string().describe('the user message'),
  text: z.string().describe('its first words'),
  createdAt: z.number(),
  files: z.number(),
  commands: z.number(),
  isUndone: z.boolean().describe('all of its changes are undone'),
})
export type ChangeTurn = z.infer<typeof turnSchema>

const revertSchema = z.union([
  z.strictObject({
    path: z.string().min(1).max(4096),
    version: z.string().max(64).describe('of the file that was shown'),
    hunks: z.array(hunkIdSchema).min(1).max(1000).optional(),
  }),
  z.strictObject({ call: z.string().min(1).max(200) }),
  z.strictObject({ turn: messageIdSchema }),
  z.strictObject({ since: messageIdSchema, version: z.string().max(64).describe('from the preview') }),
])

export const changeEndpoints = endpoints({
  'GET /ai/sessions/:id/changes': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary:
      'Lists files that a branch changed, including its sub-agents, and counts commands that may have changed others. ?leaf ends the branch (default: the newest). ?after names the message to start after.',
    query: z.object({ leaf: messageIdSchema.optional(), after: messageIdSchema.optional() }),
    scoped: true,
    answers: { 200: branchChangesSchema, 404: 'SessionNotFound, MessageNotFound' },
  },
  'GET /ai/sessions/:id/turns': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Lists the turns of a session in which tools changed files or commands ran, the newest first.',
    scoped: true,
    answers: { 200: z.object({ turns: z.array(turnSchema) }), 404: 'SessionNotFound' },
  },
  'GET /ai/sessions/:id/changed': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary:
      'Returns what a session changed, by file: from before its first change to now, or within one turn or tool call.',
    query: z.object({
      turn: messageIdSchema.optional(),
      call: z.string().max(200).optional(),
      secret: z.literal('1').optional().describe('the user wants to see files that may contain secrets'),
      offset: z.coerce.number().int().min(0).optional(),
      limit: z.coerce.number().int().min(1).max(200).optional().describe('default 50'),
    }),
    scoped: true,
    answers: {
      200: z.object({
        files: z.array(changedFileSchema),
        total: z.number(),
        next: z.number().nullable().describe('the next offset, or null at the end'),
        commands: z.array(z.string()).describe('that ran meanwhile'),
        commandFiles: z
          .array(commandFileSchema)
          .describe('other files that changed while commands ran, at most 200; only with offset 0'),
        isCommandFilesCut: z.boolean().describe('there may be more of them'),
      }),
      404: 'SessionNotFound',
    },
  },
  'POST /ai/sessions/:id/revert': {
    access: { on: 'session', right: 'write' },
    summary:
      'Restores files from the undo journal: a file or hunks of it as they were before the session, what a tool call or a turn changed, or everything since a message. Skips files that are not as they were shown.',
    body: revertSchema,
    scoped: true,
    answers: {
      200: revertedSchema,
      404: 'SessionNotFound, MessageNotFound, NothingToRevert',
      409: 'SessionBusy, ChangesMoved',
    },
  },
  'GET /ai/sessions/:id/checkpoint': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Previews a rewind of files to a message: each file as it would change.',
    query: z.object({ message: messageIdSchema.optional() }),
    scoped: true,
    answers: {
      200: z.object({
        files: z.array(changedFileSchema),
        skipped: z.array(skippedSchema),
        commands: z.array(z.string()).describe('that ran since; what they changed is not recorded'),
        version: z.string().describe('of everything that would be undone'),
      }),
      404: 'SessionNotFound, MessageNotFound',
    },
  },
  'POST /ai/reverts/:revertId/undo': {
    access: { on: 'session', right: 'write', by: 'revert' },
    summary: 'Undoes a revert, a discard or a rewind of files. Skips files that changed since.',
    scoped: true,
    answers: { 200: revertedSchema, 404: 'NothingToRevert' },
  },
})
