import type { UsageInfo, UsageTotal } from '@troupe/protocol'
import { type ReactNode, useCallback, useState } from 'react'
import type { UsageDays } from '../api/settings-types.ts'
import { ServerDataStatus, useServerData } from '../settings/section-parts.tsx'
import { formatCost, formatNumber } from '../texts/format.ts'
import { useMay } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { BudgetForm } from './budget-form.tsx'
import { formatDay, UsageChart } from './usage-chart.tsx'
import './usage-section.css'

const periods: readonly UsageDays[] = ['7', '30', '90']
const groups = ['day', 'model', 'folder'] as const
type Group = (typeof groups)[number]

export function UsageSection() {
  const { api } = useWorkspace()
  const [days, setDays] = useState<UsageDays>('30')
  const [group, setGroup] = useState<Group>('model')
  const asked = useServerData(useCallback(() => api.usage(days), [api, days]))
  const { value } = asked
  const mayManage = useMay('manage')
  return (
    <>
      <p className="settings-note">{t.usage.about}</p>
      {mayManage && <BudgetForm budget={value?.budget ?? []} onSaved={asked.again} />}
      <section className="usage" data-setting="usage" aria-label={t.usage.table}>
        <Segments
          label={t.usage.period}
          options={periods.map((one) => ({ value: one, label: t.usage.days(Number(one)) }))}
          value={days}
          onChange={setDays}
        />
        <ServerDataStatus asked={asked} />
        {value !== null && value.total.calls === 0 && <p className="settings-none">{t.usage.none}</p>}
        {value !== null && value.total.calls > 0 && (
          <>
            <output className="usage-total">
              <b>{t.usage.total}:</b>{' '}
              {t.usage.totalText(
                // The note below says that the price is unknown.
                costText(value.total).replace(t.usage.unknown, ''),
                formatNumber(value.total.inputTokens + value.total.outputTokens),
                value.total.calls,
              )}
            </output>
            <UsageChart usage={value} />
            <UnpricedNote usage={value} />
            <Segments
              label={t.usage.by}
              options={groups.map((one) => ({ value: one, label: t.usage.groups[one] }))}
              value={group}
              onChange={setGroup}
            />
            <UsageTable usage={value} group={group} />
          </>
        )}
      </section>
    </>
  )
}

/** A cost that leaves out models without a known price says so. */
function costText({ cost, unpricedTokens, ...numbers }: UsageTotal): string {
  if (isUnpricedMedia({ cost, ...numbers })) return t.usage.unknown
  if (unpricedTokens === 0) return formatCost(cost)
  return cost === 0 ? t.usage.unknown : t.usage.plusUnknown(formatCost(cost))
}

/** Calls for images, videos and speech have no tokens. Without a price, nothing about them is known but their number. */
function isUnpricedMedia(numbers: Omit<UsageTotal, 'unpricedTokens'>): boolean {
  return numbers.calls > 0 && numbers.cost === 0 && numbers.inputTokens + numbers.outputTokens === 0
}

function UnpricedNote({ usage: { models, total } }: { usage: UsageInfo }) {
  const names = models.filter(({ unpricedTokens }) => unpricedTokens > 0).map(({ model }) => model)
  const media = models.filter(isUnpricedMedia).map(({ model }) => model)
  return (
    <>
      {names.length > 0 && (
        <p className="settings-note">
          <VisibleText text={t.usage.unpriced(formatNumber(total.unpricedTokens), names.join(', '))} as="name" />
        </p>
      )}
      {media.length > 0 && (
        <p className="settings-note">
          <VisibleText text={t.usage.unpricedCalls(media.join(', '))} as="name" />
        </p>
      )}
    </>
  )
}

function UsageTable({ usage, group }: { usage: UsageInfo; group: Group }) {
  const rows: { name: ReactNode; key: string; numbers: UsageTotal }[] = {
    day: () => usage.days.toReversed().map((row) => ({ key: row.day, name: formatDay(row.day, 'long'), numbers: row })),
    model: () => usage.models.map((row) => ({ key: row.model, name: <Name text={row.model} />, numbers: row })),
    folder: () => usage.folders.map((row) => ({ key: row.folder, name: <Name text={row.folder} />, numbers: row })),
  }[group]()
  return (
    // Scrolls sideways on narrow screens.
    <section className="usage-scroll" aria-label={t.usage.groups[group]} tabIndex={0}>
      <table className="usage-table">
        <thead>
          <tr>
            <th scope="col">{t.usage.groups[group]}</th>
            <th scope="col">{t.usage.cost}</th>
            <th scope="col">{t.usage.calls}</th>
            <th scope="col">{t.usage.input}</th>
            <th scope="col">{t.usage.cached}</th>
            <th scope="col">{t.usage.output}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, numbers }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td>{costText(numbers)}</td>
              <td>{formatNumber(numbers.calls)}</td>
              <td>{formatNumber(numbers.inputTokens)}</td>
              <td>{formatNumber(numbers.cachedTokens)}</td>
              <td>{formatNumber(numbers.outputTokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Name({ text }: { text: string }) {
  return (
    <bdi>
      <VisibleText text={text} as="name" />
    </bdi>
  )
}
