import type { BudgetInfo } from '@troupe/protocol'
import { notice } from '../state/notices.tsx'
import { formatCost, formatPercent } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import type { AppStore } from './app-store.ts'

/** Every run reports a budget that is nearly used up. The user reads it once per day and budget. */
const told = new Set<string>()

export function warnOfBudget({ period, limit, spent }: BudgetInfo, app: AppStore): void {
  const key = `${period} ${limit} ${new Date().toDateString()}`
  if (told.has(key) || spent >= limit) return
  told.add(key)
  notice(t.chat.budgetWarning[period](formatPercent(spent, limit), formatCost(limit)), {
    label: t.chat.openUsage,
    onSelect: () => app.openSettings('usage/budget'),
  })
}
