import { z } from 'zod'
import { dataParts } from '../data-parts.ts'
import { endpoints } from './endpoint.ts'
import { type BudgetInfo, budgetPeriods } from '../budget.ts'

const costSchema = z.number().optional().describe('US dollars, as if nothing were cached')

const contextPieceSchema = z.object({
  kind: z.enum(['tool', 'instructions', 'summary', 'message']),
  name: z.string(),
  tokens: z.number(),
  cost: costSchema,
  messageId: z.string().optional(),
  changed: z.boolean().optional().describe('for instructions: they differ from the latest call'),
})
export type ContextPiece = z.infer<typeof contextPieceSchema>

const contextSchema = z.object({
  model: z.string(),
  window: z.number().nullable().describe('context window in tokens; null if unknown'),
  total: z.object({ tokens: z.number(), cost: costSchema }),
  pieces: z.array(contextPieceSchema).describe('in the order of the prompt'),
  cache: z.object({
    lastCallAt: z.number().nullable(),
    modelChanged: z.boolean().describe('the latest call used another model'),
    brokenBy: z
      .string()
      .nullable()
      .describe('the first piece that differs from the latest call; all tools together are "tools"'),
    inputTokens: z.number().optional().describe('of the latest answer'),
    cachedInputTokens: z.number().optional(),
  }),
})

export const contextEndpoints = endpoints({
  'GET /ai/sessions/:id/context': {
    access: { on: 'session', right: 'read', workspace: 'read' },
    summary: 'Returns the parts of the next model call, with their tokens and cost, and what changed since the last.',
    query: z.object({
      leaf: z.string().max(64).optional(),
      pieces: z.enum(['none']).optional().describe('"none" returns an empty list of pieces'),
    }),
    scoped: true,
    answers: { 200: contextSchema, 404: 'SessionNotFound' },
  },
  'PATCH /ai/sessions/:id/compactions/:compactionId': {
    access: { on: 'session', right: 'write' },
    summary: 'Turns a compaction off or on. While it is off, the model gets the original messages.',
    body: z.strictObject({ off: z.boolean() }),
    scoped: true,
    answers: {
      200: z.object({ compaction: dataParts.compaction.schema }),
      404: 'SessionNotFound, CompactionNotFound',
      409: 'SessionBusy',
    },
  },
})

const budgetSchema: z.ZodType<BudgetInfo> = z.object({
  of: z.enum(['person', 'workspace', 'model']).optional().describe('absent: everything'),
  period: z.enum(budgetPeriods),
  limit: z.number().describe('US dollars'),
  spent: z.number().describe('US dollars since the local day or month began'),
})
const numbers = {
  calls: z.number().describe('model calls'),
  inputTokens: z.number(),
  cachedTokens: z.number().describe('input tokens that came from the cache of the provider'),
  outputTokens: z.number(),
  cost: z.number().describe('US dollars, without models whose price is unknown'),
  unpricedTokens: z.number().describe('tokens of models whose price is unknown'),
}
const usageNumbersSchema = z.object(numbers)
export type UsageTotal = z.infer<typeof usageNumbersSchema>

const usageSchema = z.object({
  from: z.string().describe('the first local day, YYYY-MM-DD'),
  to: z.string().describe('today'),
  total: usageNumbersSchema,
  days: z.array(z.object({ day: z.string(), ...numbers })).describe('oldest first; days without calls are left out'),
  models: z.array(z.object({ model: z.string(), ...numbers })).describe('the most expensive first, at most 200'),
  folders: z.array(z.object({ folder: z.string(), ...numbers })).describe('the most expensive first, at most 200'),
  people: z.array(z.object({ person: z.string(), ...numbers })).describe('empty outside team mode'),
  budget: z.array(budgetSchema).describe('the budgets that are set'),
})
export type UsageInfo = z.infer<typeof usageSchema>

export const usageEndpoints = endpoints({
  'GET /ai/usage': {
    access: { on: 'organization', right: 'read' },
    summary:
      'Returns tokens and cost of all chats and sub-agents by day, model and folder, and the state of the budget.',
    query: z.object({ days: z.enum(['7', '30', '90']).default('30') }),
    answers: { 200: usageSchema },
  },
  'GET /ai/usage/export': {
    access: { on: 'organization', right: 'read' },
    summary: 'Downloads tokens and cost as CSV: a line per day, person, folder and model.',
    linkable: true,
    query: z.object({ days: z.coerce.number().int().min(1).max(3660).default(30) }),
    gives: ['bytes'],
    answers: { 200: 'the file' },
  },
})
