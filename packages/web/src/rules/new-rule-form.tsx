import type { Effect } from '@troupe/core'
import { ArrowRight, Ban, Check, Hand } from 'lucide-react'
import { useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import type { NewRule, RuleChange, RuleScope, RuleTest } from '../api/settings-types.ts'
import { callSubject } from '../chat/session/message-parts.ts'
import { formatNumber } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { findSession } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { type RuleTestState as Trial, useRuleTest } from './rules-store.ts'

const shownAtFirst = 8

function RuleTestResult({ trial }: { trial: Trial }) {
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

const examples = ['Bash(npm run *)', 'Edit(src/**)', 'Read(.env)', 'WebFetch(domain:example.com)', 'mcp__server']
const effects: readonly Effect[] = ['allow', 'ask', 'deny']
const scopes: readonly RuleScope[] = ['session', 'project', 'always']

interface NewRuleFormProps {
  sessionId: string | undefined
  /** Resolves with the open asks that the rule answered. */
  onAdd: (rule: NewRule) => Promise<string[]>
}

/** Tests a rule against past calls while it is typed. Saves only on request. */
export function NewRuleForm({ sessionId, onAdd }: NewRuleFormProps) {
  const { api } = useWorkspace()
  const [text, setText] = useState('')
  const [effect, setEffect] = useState<Effect>('allow')
  const [scope, setScope] = useState<RuleScope>('project')
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const typed = text.trim()
  // A workspace rule is tested as in any session.
  const trial = useRuleTest(api, typed, effect, scope === 'session' ? sessionId : undefined)
  const ready = typed !== '' && trial.state !== 'bad' && !busy

  const save = async () => {
    setBusy(true)
    try {
      const settled = await onAdd({ text: typed, effect, scope })
      setOutcome({ ok: true, text: t.rules.saved(t.rules.effects[effect], typed, settled.length) })
      setText('')
    } catch (error) {
      setOutcome({ ok: false, text: toErrorInfo(error).message })
    } finally {
      setBusy(false)
      field.current?.focus()
    }
  }

  return (
    <form
      className="new-rule"
      aria-label={t.rules.newRule}
      data-setting="new"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) void save()
      }}
    >
      <div className="new-rule-row">
        <Segments
          label={t.rules.effect}
          options={effects.map((value) => ({ value, label: t.rules.choices[value] }))}
          value={effect}
          onChange={setEffect}
        />
        <input
          ref={field}
          className="new-rule-text"
          aria-label={t.rules.rule}
          placeholder="Bash(npm run *)"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={2000}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setOutcome(null)
          }}
        />
        <select
          aria-label={t.rules.scope}
          value={scope}
          onChange={(event) => setScope(event.target.value as RuleScope)}
        >
          {scopes.map((one) => (
            <option key={one} value={one} disabled={one === 'session' && sessionId === undefined}>
              {t.rules.scopes[one]}
            </option>
          ))}
        </select>
        <Button type="submit" kind="primary" disabled={!ready}>
          {t.ui.save}
        </Button>
      </div>
      {typed === '' && (
        <p className="new-rule-examples">
          {t.rules.forExample}{' '}
          {examples.map((example) => (
            <button
              key={example}
              type="button"
              onClick={() => {
                setText(example)
                setOutcome(null)
                field.current?.focus()
              }}
            >
              {example}
            </button>
          ))}
        </p>
      )}
      <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'}>{outcome?.text}</output>
      <RuleTestResult trial={trial} />
    </form>
  )
}

const icons: Record<Effect, React.ReactNode> = {
  allow: <Check aria-hidden />,
  ask: <Hand aria-hidden />,
  deny: <Ban aria-hidden />,
}

export function EffectMark({ effect }: { effect: Effect }) {
  return (
    <span className="effect" data-effect={effect}>
      {icons[effect]}
      {t.rules.effects[effect]}
    </span>
  )
}
