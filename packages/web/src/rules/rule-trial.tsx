import type { Effect } from '@troupe/core'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { subjectOf } from '../chat/tool-call.ts'
import { findSession } from '../find-session.ts'
import type { RuleChange, RuleTest } from '../api/rule-info.ts'
import { Button } from '../ui/button.tsx'
import { countOf } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useApp } from '../workspace.ts'
import { EffectMark } from './effect-mark.tsx'
import type { RuleTrial as Trial } from './use-rule-test.ts'

const shownAtFirst = 8
const effects: { effect: Effect; word: string }[] = [
  { effect: 'allow', word: 'allowed' },
  { effect: 'ask', word: 'asked' },
  { effect: 'deny', word: 'denied' },
]

/** Before a rule is saved: what it would have meant for the calls that were really made. */
export function RuleTrial({ trial }: { trial: Trial }) {
  if (trial.state === 'none') return null
  if (trial.state === 'bad') {
    return (
      <p className="rules-failure" role="alert">
        {trial.problem}
      </p>
    )
  }
  const { test } = trial
  return (
    <section className="trial" aria-label="What it would have changed" aria-busy={trial.state === 'testing'}>
      {test === null ? <p className="trial-sum">Trying it on the last calls …</p> : <TestResult test={test} />}
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
        <p key={warning} className="rules-warning">
          {warning}
        </p>
      ))}
      <output className="trial-sum">{inWords(calls, changed)}</output>
      {calls > 0 && (
        <dl className="trial-counts">
          {effects.map(({ effect, word }) => (
            <div key={effect} data-effect={effect}>
              <dt>{word}</dt>
              <dd>
                {before[effect] !== after[effect] && (
                  <>
                    {before[effect].toLocaleString('en')}
                    <Becomes />
                  </>
                )}
                <b>{after[effect].toLocaleString('en')}</b>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {shown.length > 0 && (
        <ul className="trial-changes" aria-label="Calls that would be decided otherwise">
          {shown.map((change) => (
            <Change key={`${change.sessionId} ${change.toolCallId}`} change={change} />
          ))}
        </ul>
      )}
      {!all && changes.length > shown.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show {changes.length - shown.length} more
        </Button>
      )}
      {all && changed > changes.length && (
        <p className="trial-sum">And {countOf(changed - changes.length, 'older call')}.</p>
      )}
    </>
  )
}

function Change({ change }: { change: RuleChange }) {
  const { toolName, input, before, after, sessionId, createdAt } = change
  const title = useApp((state) => findSession(state, sessionId)?.title)
  const subject = subjectOf(input) ?? JSON.stringify(input)
  return (
    <li className="trial-change" title={after.reason}>
      <span className="trial-ways">
        <EffectMark effect={before.decision} />
        <Becomes />
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

function Becomes() {
  return (
    <>
      <ArrowRight aria-hidden />
      <span className="visually-hidden">becomes</span>
    </>
  )
}

function inWords(calls: number, changed: number): string {
  if (calls === 0) return 'No call has been made in this project yet: there is nothing to try it on.'
  const past = calls === 1 ? 'the only call so far' : `the last ${calls.toLocaleString('en')} calls`
  if (changed === 0) return `It would have changed nothing for ${past}.`
  return `It would have changed ${changed.toLocaleString('en')} of ${past}.`
}
