/** Without schemas, because the page reads it before anything else is loaded. */
export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

/** Share of a budget from which the user is warned. */
export const budgetWarningShare = 0.8

export interface BudgetInfo {
  /** Scope of the budget. Absent: everything. */
  of?: 'person' | 'workspace' | 'model'
  period: BudgetPeriod
  /** In US dollars. */
  limit: number
  /** In US dollars since the local day or month began. */
  spent: number
}

/** Name of the `data-ui-event` that warns about a budget. */
export const budgetEvent = 'budget'

/** Reads the warning about a budget from a chunk of a run. */
export function readBudgetEvent(chunk: { type: string; data?: unknown }): BudgetInfo | undefined {
  if (chunk.type !== 'data-ui-event') return undefined
  const { name, data } = Object(chunk.data) as { name?: unknown; data?: unknown }
  const { of, period, limit, spent } = Object(data) as Partial<BudgetInfo>
  if (name !== budgetEvent || typeof limit !== 'number' || typeof spent !== 'number') return undefined
  if (period !== 'day' && period !== 'month') return undefined
  return of === undefined ? { period, limit, spent } : { of, period, limit, spent }
}
