import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { ServerDataStatus, useServerData } from '../../settings/section-parts.tsx'
import { formatDuration, formatMoment, formatNumber } from '../../texts/format.ts'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import './admin.css'
import { governance } from './governance.ts'
import { joinFacts, Row } from '../parts/parts.tsx'

const everyMs = 10_000

/** Current state of the nodes. */
export function OperationsSection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => governance(api).overview(), [api]))
  const { again, value } = asked
  const [now] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void again()
    }, everyMs)
    return () => clearInterval(timer)
  }, [again])
  if (value === null) return <ServerDataStatus asked={asked} />
  const { versions, nodes, queueDepth, runs, slowQueries, errors } = value
  return (
    <>
      <ServerDataStatus asked={asked} />
      <dl className="team-figures">
        <Figure name={t.team.operations.queue} value={formatNumber(queueDepth)} />
        <Figure name={t.team.operations.versions} value={`Troupe ${versions.troupe} · Node ${versions.node}`} />
      </dl>
      <List title={t.team.operations.nodes} none={t.team.operations.noNodes}>
        {nodes.map(({ id, version, startedAt, draining, labels }) => (
          <Row
            key={id}
            name={id === 'this' ? t.team.operations.thisNode : id}
            facts={joinFacts(
              t.team.operations.nodeFacts(version, formatMoment(startedAt, now)),
              draining && t.team.operations.draining,
              labels.join(', '),
            )}
          />
        ))}
      </List>
      <List title={t.team.operations.runs} none={t.team.operations.noRuns}>
        {runs.map(({ id, sessionId, status }) => (
          <Row key={id} name={sessionId} facts={joinFacts(id, statusText(status))} />
        ))}
      </List>
      <List title={t.team.operations.errors} none={t.team.operations.none}>
        {errors.map(({ at, message }, index) => (
          <Row key={`${at} ${index}`} name={message} facts={formatMoment(at, now)} />
        ))}
      </List>
      <List title={t.team.operations.slow} none={t.team.operations.none}>
        {slowQueries.map(({ at, ms, sql }, index) => (
          <li key={`${at} ${index}`} className="team-row">
            <div className="team-row-text">
              <code>
                <VisibleText text={sql} />
              </code>
              <p className="team-facts">{joinFacts(formatDuration(ms), formatMoment(at, now))}</p>
            </div>
          </li>
        ))}
      </List>
      <div className="settings-row-buttons settings-add">
        <Button onClick={() => void again()}>{t.team.operations.refresh}</Button>
      </div>
    </>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function List({ title, none, children }: { title: string; none: string; children: readonly ReactNode[] }) {
  return (
    <section className="settings-group" aria-label={title}>
      <h3>{title}</h3>
      {children.length === 0 ? <p className="settings-note">{none}</p> : <ul className="team-list">{children}</ul>}
    </section>
  )
}

function statusText(status: string): string {
  const texts: Readonly<Record<string, string>> = t.team.operations.statuses
  return texts[status] ?? status
}
