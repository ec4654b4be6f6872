import type { Effect } from '@troupe/core'
import { useRef, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { NewRule, RuleScope } from '../api/rule-info.ts'
import { Button } from '../ui/button.tsx'
import { countOf } from '../ui/format.ts'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace.ts'
import { RuleTrial } from './rule-trial.tsx'
import { useRuleTest } from './use-rule-test.ts'

const examples = ['Bash(npm run *)', 'Edit(src/**)', 'Read(.env)', 'WebFetch(domain:example.com)', 'mcp__server']
const effects: { value: Effect; label: string }[] = [
  { value: 'allow', label: 'Allow' },
  { value: 'ask', label: 'Ask' },
  { value: 'deny', label: 'Deny' },
]
const scopes: { scope: RuleScope; label: string }[] = [
  { scope: 'session', label: 'in this session' },
  { scope: 'project', label: 'in this project' },
  { scope: 'always', label: 'always' },
]

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
      const also = settled.length === 0 ? '' : ` It answered ${countOf(settled.length, 'open ask')} too.`
      setOutcome({ ok: true, text: `Saved: ${effect} ${typed}.${also}` })
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
      aria-label="New rule"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) void save()
      }}
    >
      <div className="new-rule-row">
        <Segments label="What the rule does" options={effects} value={effect} onChange={setEffect} />
        <input
          ref={field}
          className="new-rule-text"
          aria-label="Rule"
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
          aria-label="Where it holds"
          value={scope}
          onChange={(event) => setScope(event.target.value as RuleScope)}
        >
          {scopes.map(({ scope: one, label }) => (
            <option key={one} value={one} disabled={one === 'session' && sessionId === undefined}>
              {label}
            </option>
          ))}
        </select>
        <Button type="submit" kind="primary" disabled={!ready}>
          Save
        </Button>
      </div>
      {typed === '' && (
        <p className="new-rule-examples">
          For example{' '}
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
      <output className={outcome?.ok === false ? 'rules-failure' : 'rules-saved'}>{outcome?.text}</output>
      <RuleTrial trial={trial} />
    </form>
  )
}
