import type { Effect } from '@troupe/core'
import { useRef, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { NewRule, RuleScope } from '../api/rule-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace.ts'
import { RuleTestResult } from './rule-trial.tsx'
import { useRuleTest } from './use-rule-test.ts'

const examples = ['Bash(npm run *)', 'Edit(src/**)', 'Read(.env)', 'WebFetch(domain:example.com)', 'mcp__server']
const effects: readonly Effect[] = ['allow', 'ask', 'deny']
const scopes: readonly RuleScope[] = ['session', 'project', 'always']

export interface NewRuleFormProps {
  sessionId: string | undefined
  /** Resolves with the open asks that it answered. */
  onAdd: (rule: NewRule) => Promise<string[]>
}

/** A rule is tried on the past while it is typed, and saved when the person says so. */
export function NewRuleForm({ sessionId, onAdd }: NewRuleFormProps) {
  const { api } = useWorkspace()
  const [text, setText] = useState('')
  const [effect, setEffect] = useState<Effect>('allow')
  const [scope, setScope] = useState<RuleScope>('project')
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const typed = text.trim()
  // What is to hold everywhere is tried as in a session like any other.
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
          label={t.rules.whatItDoes}
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
          aria-label={t.rules.whereItHolds}
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
