import { z } from 'zod'
import { type BudgetInfo, budgetPeriods } from '../budget.ts'
import { endpoints } from './endpoint.ts'

const budgetSchema: z.ZodType<BudgetInfo> = z.object({
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
  budget: z.array(budgetSchema).describe('the budgets that are set'),
})
export type UsageInfo = z.infer<typeof usageSchema>

export const usageEndpoints = endpoints({
  'GET /ai/usage': {
    summary:
      'Returns tokens and cost of all chats and sub-agents by day, model and folder, and the state of the budget.',
    query: z.object({ days: z.enum(['7', '30', '90']).default('30') }),
    answers: { 200: usageSchema },
  },
})
