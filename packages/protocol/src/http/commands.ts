import { z } from 'zod'
import type { Part } from '../message.ts'
import { endpoints } from './endpoint.ts'
import { mcpPromptSchema } from './mcp.ts'
import { skillProblemSchema } from './skills.ts'

const commandHead = {
  name: z.string().describe('without the slash'),
  description: z.string(),
  argument: z.string().optional().describe('a hint of what to write after the name'),
}
const ownCommandHead = {
  ...commandHead,
  path: z.string().describe('its file, or mcp://<server>/<prompt>'),
  shadows: z.array(z.string()).describe('paths of commands with the same name that it replaces'),
}

const commandSchema = z.discriminatedUnion('scope', [
  z.object({
    ...commandHead,
    scope: z.literal('built-in'),
    aliases: z.array(z.string()).readonly().optional(),
  }),
  z.object({
    ...ownCommandHead,
    scope: z.enum(['home', 'workspace']),
    agent: z.string().optional().describe('the agent that answers'),
    model: z.string().optional().describe('the model that answers'),
    allowedTools: z
      .array(z.string())
      .readonly()
      .optional()
      .describe('during the answer, only these tools run without asking'),
  }),
  z.object({
    ...ownCommandHead,
    scope: z.literal('mcp'),
    prompt: mcpPromptSchema.omit({ description: true }).extend({ server: z.string() }),
  }),
])
export type CommandInfo = z.infer<typeof commandSchema>

const completionSchema = z.object({
  kind: z.enum(['command', 'skill', 'file', 'folder', 'agent']),
  insert: z.string().describe('the text that replaces the word'),
  label: z.string(),
  detail: z.string(),
})
export type Completion = z.infer<typeof completionSchema>

const completionsSchema = z.object({
  items: z.array(completionSchema),
  more: z.number().describe('how many matches are not listed'),
})
export type Completions = z.infer<typeof completionsSchema>

export const commandEndpoints = endpoints({
  'GET /ai/commands': {
    access: { on: 'workspace', right: 'read' },
    summary:
      "Lists all commands: built-in ones, the user's own, those of a trusted folder, and prompts of MCP servers.",
    scoped: true,
    answers: { 200: z.object({ commands: z.array(commandSchema), problems: z.array(skillProblemSchema) }) },
  },
  'POST /ai/commands/:name': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Expands a command that is not built in, with the text after its name. Sends nothing to a model.',
    body: z.strictObject({ rest: z.string().max(200_000).default('').describe('the text after the name') }),
    scoped: true,
    answers: {
      200: z.object({ parts: z.array(z.custom<Part>()).describe('the message parts that the command adds') }),
      404: 'CommandNotFound',
      422: 'CommandUnreadable, CommandArguments',
      502: 'McpFailed',
    },
  },
  'GET /ai/complete': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Completes a word that starts with / (commands and skills) or @ (agents, files, and folders).',
    query: z.object({ text: z.string().max(500), most: z.coerce.number().int().min(1).max(1000).optional() }),
    scoped: true,
    answers: { 200: completionsSchema },
  },
})
