import { type BudgetInfo, type BudgetPeriod, budgetPeriods, budgetWarningShare } from '@troupe/protocol'
import { useState } from 'react'
import type { ConfigInfo } from '../api/settings-types.ts'
import { ConfigForm, useConfig } from '../settings/config-form.tsx'
import { ServerDataStatus } from '../settings/section-parts.tsx'
import { formatCost } from '../texts/format.ts'
import { t } from '../texts/t.ts'

/** Limits in US dollars per day and month, with what is used of them. */
export function BudgetForm({ budget, onSaved }: { budget: readonly BudgetInfo[]; onSaved: () => Promise<void> }) {
  const { asked, save, saved } = useConfig()
  const [edited, setEdited] = useState<Partial<Record<BudgetPeriod, string>>>({})
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  const { config } = asked.value
  const typed = (period: BudgetPeriod) => edited[period] ?? limitText(config, period)
  const amount = (period: BudgetPeriod) => (typed(period).trim() === '' ? null : Number(typed(period)))
  const isWrong = (period: BudgetPeriod) => {
    const number = amount(period)
    return number !== null && !(number > 0 && number <= 1e9)
  }
  const wrong = budgetPeriods.some(isWrong)
  const isChanged = budgetPeriods.some((period) => typed(period).trim() !== limitText(config, period))
  const submit = async () => {
    if (!(await save('budget', { budget: { day: amount('day'), month: amount('month') } }))) return
    setEdited({})
    await onSaved()
  }
  return (
    <ConfigForm
      id="budget"
      title={t.usage.budget}
      about={t.usage.budgetAbout}
      isReady={isChanged && !wrong}
      saved={saved}
      onSave={submit}
      noValidate
      note={wrong && <p className="settings-failure">{t.usage.notAmount}</p>}
    >
      {budget.map((one) => (
        <BudgetMeter key={one.period} budget={one} />
      ))}
      <div className="settings-fields">
        {budgetPeriods.map((period) => (
          <label key={period}>
            {period === 'day' ? t.usage.perDay : t.usage.perMonth}
            <input
              type="number"
              inputMode="decimal"
              min={0}
              step="any"
              value={typed(period)}
              placeholder={t.usage.noBudget}
              aria-invalid={isWrong(period)}
              onChange={({ target }) => setEdited({ ...edited, [period]: target.value })}
            />
          </label>
        ))}
      </div>
    </ConfigForm>
  )
}

function limitText({ budget }: ConfigInfo, period: BudgetPeriod): string {
  const limit = budget[period]
  return limit === null ? '' : String(limit)
}

function BudgetMeter({ budget: { period, limit, spent } }: { budget: BudgetInfo }) {
  const state = spent >= limit ? 'stopped' : spent >= limit * budgetWarningShare ? 'near' : 'fine'
  const text = t.usage.spent[period](formatCost(spent), formatCost(limit))
  return (
    <div className="budget-meter" data-state={state}>
      <p>
        {text}
        {state !== 'fine' && <strong> {t.usage[state]}</strong>}
      </p>
      <div className="budget-bar" aria-hidden>
        <i style={{ width: `${Math.min(100, (100 * spent) / limit)}%` }} />
      </div>
    </div>
  )
}
