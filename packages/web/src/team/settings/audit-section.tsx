import { useCallback, useEffect, useState } from 'react'
import { addressOf } from '@troupe/client'
import { ActionFailure } from '../../settings/section-parts.tsx'
import { toErrorInfo } from '../../api/request.ts'
import { formatMoment } from '../../texts/format.ts'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Group, VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { type AuditEntry, type AuditQuery, governance } from './governance.ts'
import './admin.css'
import { Select } from '../parts/parts.tsx'

const outcomes = ['all', 'ok', 'denied', 'failed'] as const
const periods = ['all', '1', '7', '30'] as const
const typingPause = 250
const dayMs = 24 * 60 * 60 * 1000

/** The audit log: search, filter, export. Loads page by page. */
export function AuditSection() {
  const { api, link } = useWorkspace()
  const [now] = useState(Date.now)
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<(typeof outcomes)[number]>('all')
  const [period, setPeriod] = useState<(typeof periods)[number]>('all')
  const [page, setPage] = useState<{ entries: AuditEntry[]; next: string | null } | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const filter = useCallback(
    (): AuditQuery => ({
      ...(text.trim() !== '' && { text: text.trim() }),
      ...(outcome !== 'all' && { outcome }),
      ...(period !== 'all' && { from: now - Number(period) * dayMs }),
    }),
    [text, outcome, period, now],
  )
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(() => {
      governance(api)
        .audit(filter())
        .then(
          (found) => {
            if (isOver) return
            setPage(found)
            setFailure(null)
          },
          (error: unknown) => {
            if (!isOver) setFailure(toErrorInfo(error).message)
          },
        )
    }, typingPause)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, filter])
  const more = async () => {
    if (page?.next == null) return
    try {
      const older = await governance(api).audit({ ...filter(), before: page.next })
      setPage({ entries: [...page.entries, ...older.entries], next: older.next })
    } catch (error) {
      setFailure(toErrorInfo(error).message)
    }
  }
  const exportPath = (format: string) => link(addressOf('/ai/audit/export', { query: { ...filter(), format } }))
  return (
    <>
      <div className="settings-fields">
        <label>
          {t.team.audit.search}
          <input
            type="search"
            placeholder={t.team.audit.searchHint}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <Select
          isLabeled
          label={t.team.audit.outcome}
          value={outcome}
          options={outcomes.map((value) => ({ value, label: t.team.audit.outcomes[value] }))}
          onChange={setOutcome}
        />
        <Select
          isLabeled
          label={t.team.audit.period}
          value={period}
          options={periods.map((value) => ({
            value,
            label: value === 'all' ? t.team.audit.anyTime : t.team.audit.lastDays(Number(value)),
          }))}
          onChange={setPeriod}
        />
      </div>
      <div className="settings-row-buttons settings-add">
        {(['csv', 'jsonl'] as const).map((format) => (
          <a key={format} className="button button-plain" href={exportPath(format)} download>
            {t.team.audit[format]}
          </a>
        ))}
      </div>
      <ActionFailure failure={failure} />
      {page?.entries.length === 0 && <p className="settings-none">{t.team.audit.none}</p>}
      {page !== null && page.entries.length > 0 && (
        <Group label={t.team.sections.audit} className="team-table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>{t.team.audit.time}</th>
                <th>{t.team.audit.who}</th>
                <th>{t.team.audit.action}</th>
                <th>{t.team.audit.target}</th>
                <th>{t.team.audit.outcome}</th>
              </tr>
            </thead>
            <tbody>
              {page.entries.map(({ id, at, actor, action, target, outcome: how }) => (
                <tr key={id} data-outcome={how}>
                  <td>{formatMoment(at, now)}</td>
                  <td dir="auto">{actorName(actor)}</td>
                  <td>
                    <code>{action}</code>
                  </td>
                  <td>
                    {target !== null && (
                      <VisibleText text={target.name ?? (target.id === '' ? target.type : target.id)} as="name" />
                    )}
                  </td>
                  <td>{t.team.audit.outcomes[how]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Group>
      )}
      {page !== null && page.next !== null && (
        <div className="settings-row-buttons settings-add">
          <Button onClick={() => void more()}>{t.team.audit.more}</Button>
        </div>
      )}
    </>
  )
}

/** The server has names for callers that are no people. */
function actorName({ id, name }: AuditEntry['actor']): string {
  const programs: Readonly<Record<string, string>> = t.team.audit.programs
  return (Object.hasOwn(programs, id) ? programs[id] : name) ?? t.team.audit.deleted
}
