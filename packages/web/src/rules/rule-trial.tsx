import type { Effect } from '@troupe/core'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { callSubject } from '../chat/tool-call.ts'
import { findSession } from '../find-session.ts'
import type { RuleChange, RuleTest } from '../api/rule-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatNumber } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useApp } from '../workspace.ts'
import { EffectMark } from './effect-mark.tsx'
import type { RuleTestState as Trial } from './use-rule-test.ts'

const shownAtFirst = 8
const effects: readonly Effect[] = ['allow', 'ask', 'deny']

/** Before a rule is saved: what it would have meant for the calls that were really made. */
export function RuleTestResult({ trial }: { trial: Trial }) {
  if (trial.state === 'none') return null
  if (trial.state === 'bad') {
    return (
      <p className="settings-failure" role="alert">
        {trial.problem}
      </p>
    )
  }
  const { test } = trial
  return (
    <section className="trial" aria-label={t.rules.trial} aria-busy={trial.state === 'testing'}>
      {test === null ? <p className="trial-sum">{t.rules.trying}</p> : <TestResult test={test} />}
    </section>
  )
}

function TestResult({ test }: { test: RuleTest }) {
  const { calls, before, after, changed, changes, warnings } = test
  const [all, setAll] = useState(false)
  const shown = all ? changes : changes.slice(0, shownAtFirst)
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="settings-warning">
          {warning}
        </p>
      ))}
      <output className="trial-sum">{describeChanges(calls, changed)}</output>
      {calls > 0 && (
        <dl className="trial-counts">
          {effects.map((effect) => (
            <div key={effect} data-effect={effect}>
              <dt>{t.rules.decided[effect]}</dt>
              <dd>
                {before[effect] !== after[effect] && (
                  <>
                    {formatNumber(before[effect])}
                    <ChangeArrow />
                  </>
                )}
                <b>{formatNumber(after[effect])}</b>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {shown.length > 0 && (
        <ul className="trial-changes" aria-label={t.rules.changes}>
          {shown.map((change) => (
            <Change key={`${change.sessionId} ${change.toolCallId}`} change={change} />
          ))}
        </ul>
      )}
      {!all && changes.length > shown.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          {t.ui.showMore(changes.length - shown.length)}
        </Button>
      )}
      {all && changed > changes.length && <p className="trial-sum">{t.rules.andOlder(changed - changes.length)}</p>}
    </>
  )
}

function Change({ change }: { change: RuleChange }) {
  const { toolName, input, before, after, sessionId, createdAt } = change
  const title = useApp((state) => findSession(state, sessionId)?.title)
  const subject = callSubject(input) ?? JSON.stringify(input)
  return (
    <li className="trial-change" title={after.reason}>
      <span className="trial-ways">
        <EffectMark effect={before.decision} />
        <ChangeArrow />
        <EffectMark effect={after.decision} />
      </span>
      <span className="trial-call">
        <b>
          <VisibleText text={toolName} as="name" />
        </b>{' '}
        <code>
          <VisibleText text={subject} as="name" />
        </code>
        <span className="rule-file">
          {title !== undefined && `${title} · `}
          <Moment time={createdAt} />
        </span>
      </span>
    </li>
  )
}

function ChangeArrow() {
  return (
    <>
      <ArrowRight aria-hidden />
      <span className="visually-hidden">{t.rules.becomes}</span>
    </>
  )
}

function describeChanges(calls: number, changed: number): string {
  return calls === 0 ? t.rules.noCalls : t.rules.wouldChange(changed, calls)
}
