import { z } from 'zod'
import { endpoints } from './endpoint.ts'

/** Longest text of a file that the page edits, in characters. */
export const maxEditedText = 200_000

const versionSchema = z.string().max(100)

const instructionFileSchema = z.object({
  path: z.string().describe('the file that agents read'),
  text: z.string().describe('empty if there is no file yet'),
  version: versionSchema.describe('of the text, to detect changes on disk'),
  tokens: z.number().describe('estimated tokens that it adds to every model call'),
  active: z.boolean().describe('false while the folder is not trusted'),
  problem: z.string().optional().describe('why it cannot be edited here'),
  others: z.array(z.string()).describe('other files whose instructions apply too'),
})
export type InstructionFile = z.infer<typeof instructionFileSchema>

const masterPromptSchema = z.object({
  text: z.string().nullable().describe('null: the default'),
  defaults: z.record(z.string(), z.string()).describe('by language; the first one is for all other languages'),
  earlierDefault: z
    .string()
    .nullable()
    .describe('the default that the text was written against, if a later version of Troupe changed it'),
  version: versionSchema,
  tokens: z.number(),
})
export type MasterPrompt = z.infer<typeof masterPromptSchema>

const instructionsSchema = z.object({
  person: instructionFileSchema,
  folder: instructionFileSchema,
  master: masterPromptSchema,
})
export type InstructionsInfo = z.infer<typeof instructionsSchema>

export const instructionEndpoints = endpoints({
  'GET /ai/instructions': {
    summary: "Returns the user's instructions for all chats, those of the folder, and the prompt of the master agent.",
    scoped: true,
    answers: { 200: instructionsSchema },
  },
  'PATCH /ai/instructions': {
    summary:
      'Changes one of them, from the next message on, also in existing chats. Null restores the default prompt of the master agent.',
    scoped: true,
    body: z.strictObject({
      scope: z.enum(['person', 'folder', 'master']),
      text: z.string().max(maxEditedText).nullable(),
      version: versionSchema.describe('of the text that was edited'),
      language: z.string().max(20).optional().describe('of the default prompt that the text was written against'),
    }),
    answers: { 200: instructionsSchema, 409: 'FileChanged, FileNotEditable', 422: 'BadText' },
  },
})
